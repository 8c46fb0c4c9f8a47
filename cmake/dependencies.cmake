# What a program links with the static library of Stele: stele_find_dependencies(missing NAME...) makes a target stele::NAME for each
# library that is found, and names the others. Used when Stele is built, and by find_package(stele).

# The module of CMake that finds it, or -; and Debian's package.
set(STELE_FINDS_z ZLIB zlib1g-dev)
set(STELE_FINDS_png PNG libpng-dev)
set(STELE_FINDS_jpeg JPEG libjpeg62-turbo-dev)
set(STELE_FINDS_webp - libwebp-dev)
set(STELE_FINDS_webpmux - libwebp-dev)
set(STELE_FINDS_lz4 - liblz4-dev)

macro(stele_find_dependencies missing)
    set(${missing} "")
    foreach(stele_name ${ARGN})
        list(GET STELE_FINDS_${stele_name} 0 stele_module)
        list(GET STELE_FINDS_${stele_name} 1 stele_package)
        if(NOT stele_module STREQUAL "-")
            find_package(${stele_module} QUIET)
            set(stele_found ${${stele_module}_LIBRARY_RELEASE})
        else()
            find_library(STELE_LIB_${stele_name} ${stele_name})
            mark_as_advanced(STELE_LIB_${stele_name})
            set(stele_found ${STELE_LIB_${stele_name}})
        endif()
        if(NOT stele_found)
            list(APPEND ${missing} "lib${stele_name} (on Debian: ${stele_package})")
        elseif(NOT TARGET stele::${stele_name})
            add_library(stele::${stele_name} INTERFACE IMPORTED GLOBAL) # for projects that have Stele in a folder, too
            set_property(TARGET stele::${stele_name} PROPERTY INTERFACE_LINK_LIBRARIES ${stele_found})
        endif()
    endforeach()
    string(REPLACE ";" ", " ${missing} "${${missing}}")
endmacro()
