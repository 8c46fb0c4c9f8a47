# The libraries that Stele links, from their sources (tools/libraries.sh), where the target has no packages of them. Only what is
# used is built. The targets have the names of the libraries.
set(FROM ${STELE_LIBRARIES})
set(MADE ${PROJECT_BINARY_DIR}/libraries)

function(stele_library name folder)
    list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE patterns)
    file(GLOB sources ${patterns})
    list(FILTER sources EXCLUDE REGEX "/(gz.*|pngtest|j.*(-tj|ext|565|cstest))\\.c$") # programs, files, and what others include
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} SYSTEM PUBLIC ${folder} ${MADE})
    target_compile_options(${name} PRIVATE -w)
    set_target_properties(${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
endfunction()

stele_library(z ${FROM}/zlib *.c)

stele_library(png ${FROM}/libpng1.6 png*.c)
# Without what changes colours on the way and what describes the picture besides its pixels, which nobody asks for and is much code.
file(READ ${FROM}/libpng1.6/scripts/pnglibconf.h.prebuilt configuration)
foreach(feature READ_ALPHA_MODE READ_BACKGROUND READ_GAMMA READ_QUANTIZE READ_RGB_TO_GRAY "(READ|WRITE)_SHIFT" COLORSPACE GAMMA
        "SIMPLIFIED_[A-Z_]+" INFO_IMAGE ERROR_TEXT WARNINGS "(READ_|WRITE_)?(COMPRESSED_)?TEXT"
        "(READ_|WRITE_)?(bKGD|cHRM|eXIf|gAMA|hIST|iCCP|iTXt|oFFs|pCAL|pHYs|sBIT|sCAL|sPLT|sRGB|tEXt|tIME|zTXt)")
    string(REGEX REPLACE "#define PNG_${feature}_SUPPORTED" "" configuration "${configuration}")
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
# A copy, because its sources find the headers beside them first: without colour maps, scaling and what is less exact.
file(GLOB sources ${FROM}/libjpeg-turbo/j*.[ch])
file(COPY ${sources} DESTINATION ${MADE}/jpeg)
file(READ ${FROM}/libjpeg-turbo/jmorecfg.h configuration)
foreach(feature DCT_IFAST DCT_FLOAT IDCT_SCALING UPSAMPLE_MERGING QUANT_1PASS QUANT_2PASS)
    string(REPLACE "#define ${feature}_SUPPORTED" "#undef ${feature}_SUPPORTED" configuration "${configuration}")
endforeach()
file(CONFIGURE OUTPUT ${MADE}/jpeg/jmorecfg.h CONTENT "${configuration}" @ONLY)
stele_library(jpeg ${MADE}/jpeg j[cdfiqu]*.c jaricom.c jerror.c jmemmgr.c jmemnobs.c jsimd_none.c)
# Where a long has 32 bits, what it makes of damaged images goes beyond them: then the sum is wrong, and nothing else may be.
target_compile_options(jpeg PRIVATE -include errno.h -fwrapv)
target_compile_definitions(jpeg PRIVATE NO_GETENV)

stele_library(webp ${FROM}/libwebp/src dec/*.c dsp/*.c enc/*.c utils/*.c ../sharpyuv/*.c)
target_include_directories(webp PRIVATE ${FROM}/libwebp)
target_compile_definitions(webp PRIVATE WEBP_REDUCE_CSP) # RGBA is what is asked for
stele_library(webpmux ${FROM}/libwebp/src mux/*.c)
target_include_directories(webpmux PRIVATE ${FROM}/libwebp)
target_link_libraries(webpmux PUBLIC webp)

stele_library(lz4 ${FROM}/lz4/lib lz4.c)

if(STELE_WASM) # where bytes are downloaded: tables that are made when they are needed, and no scaling of pictures
    target_compile_definitions(z PRIVATE DYNAMIC_CRC_TABLE BUILDFIXED)
    target_compile_definitions(webp PRIVATE WEBP_REDUCE_SIZE)
endif()
