# The libraries that Stele links, from their sources (tools/libraries.sh), where the target has no packages of them. Only what is
# used is built. The targets have the names of the libraries.
set(FROM ${STELE_LIBRARIES})
set(MADE ${PROJECT_BINARY_DIR}/libraries)

function(stele_library name folder)
    list(TRANSFORM ARGN PREPEND ${FROM}/ OUTPUT_VARIABLE patterns)
    file(GLOB sources ${patterns})
    list(FILTER sources EXCLUDE REGEX "/(gz.*|pngtest|j.*(-tj|ext|565|cstest))\\.c$") # programs, files, and what others include
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} SYSTEM PUBLIC ${FROM}/${folder} ${MADE})
    target_compile_options(${name} PRIVATE -w)
    set_target_properties(${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
endfunction()

stele_library(z zlib zlib/*.c)

stele_library(png libpng1.6 libpng1.6/png*.c)
# Without what changes colours on the way, which nobody asks for and is much code.
file(READ ${FROM}/libpng1.6/scripts/pnglibconf.h.prebuilt configuration)
foreach(feature READ_ALPHA_MODE READ_BACKGROUND READ_GAMMA READ_QUANTIZE READ_RGB_TO_GRAY SIMPLIFIED_READ SIMPLIFIED_READ_AFIRST
        SIMPLIFIED_READ_BGR)
    string(REPLACE "#define PNG_${feature}_SUPPORTED" "" configuration "${configuration}")
endforeach()
file(CONFIGURE OUTPUT ${MADE}/pnglibconf.h CONTENT "${configuration}" @ONLY)
target_compile_definitions(png PRIVATE PNG_ARM_NEON_OPT=0)
target_link_libraries(png PUBLIC z)

# The version that its own build says.
file(STRINGS ${FROM}/libjpeg-turbo/CMakeLists.txt VERSION REGEX "^set\\(VERSION ")
string(REGEX REPLACE "set\\(VERSION (.*)\\)" "\\1" VERSION "${VERSION}")
string(REGEX REPLACE "^([0-9]+)\\.([0-9]+)\\.([0-9]+).*" "\\1;\\2;\\3" parts "${VERSION}")
list(GET parts 0 major)
list(GET parts 1 minor)
list(GET parts 2 revision)
math(EXPR LIBJPEG_TURBO_VERSION_NUMBER "${major} * 1000000 + ${minor} * 1000 + ${revision}")
set(JPEG_LIB_VERSION 62)
set(BITS_IN_JSAMPLE 8)
set(C_ARITH_CODING_SUPPORTED ON)
set(D_ARITH_CODING_SUPPORTED ON)
set(MEM_SRCDST_SUPPORTED ON)
set(INLINE inline)
set(SIZE_T ${CMAKE_SIZEOF_VOID_P})
foreach(header jconfig.h jconfigint.h jversion.h)
    configure_file(${FROM}/libjpeg-turbo/${header}.in ${MADE}/${header})
endforeach()
stele_library(jpeg libjpeg-turbo libjpeg-turbo/j[cdfiqu]*.c libjpeg-turbo/jaricom.c libjpeg-turbo/jerror.c
    libjpeg-turbo/jmemmgr.c libjpeg-turbo/jmemnobs.c libjpeg-turbo/jsimd_none.c)
target_compile_options(jpeg PRIVATE -include errno.h)

stele_library(webp libwebp/src libwebp/src/dec/*.c libwebp/src/dsp/*.c libwebp/src/enc/*.c libwebp/src/utils/*.c
    libwebp/sharpyuv/*.c)
target_include_directories(webp PRIVATE ${FROM}/libwebp)
stele_library(webpmux libwebp/src libwebp/src/mux/*.c)
target_include_directories(webpmux PRIVATE ${FROM}/libwebp)
target_link_libraries(webpmux PUBLIC webp)

stele_library(lz4 lz4/lib lz4/lib/lz4.c)
