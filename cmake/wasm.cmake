# Toolchain: WebAssembly with Debian's clang, lld and wasi-libc. Exceptions of WebAssembly are what setjmp is made of, for libpng
# and libjpeg; every browser since 2022 and node 17 have them.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(STELE_WASM ON)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-14)
set(CMAKE_RANLIB llvm-ranlib-14)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-isystem ${CMAKE_CURRENT_LIST_DIR}/../wasm/include -mexception-handling -mllvm -wasm-enable-sjlj \
-mllvm -exception-model=wasm -fno-exceptions -ffunction-sections -fdata-sections")
set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG" CACHE STRING "Small; hot loops have options of their own")
