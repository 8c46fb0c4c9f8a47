#!/bin/sh
# The library for JavaScript: build/wasm is a package for npm, whole and ready to be copied.
set -eu
cd "$(dirname "$0")/.."
tools/libraries.sh
cmake -S . -B build/wasm-build --toolchain "$PWD/cmake/wasm.cmake" -DCMAKE_BUILD_TYPE=Release -DSTELE_HARDEN=OFF -DSTELE_WERROR=ON \
    -DSTELE_LIBRARIES="$PWD/build/libraries" >/dev/null
log=build/wasm-build/log
cmake --build build/wasm-build -j "$(nproc)" >$log 2>&1 || { cat $log; exit 1; }
mkdir -p build/wasm
cp wasm/stele.mjs wasm/stele.d.ts wasm/README.md LICENSE build/wasm-build/package.json build/wasm
# linked anew each time; with the same bytes the command, which has it in it, need not be built again
cmp -s build/wasm-build/stele.wasm build/wasm/stele.wasm || cp build/wasm-build/stele.wasm build/wasm
{
    cat build/libraries/manifest
    dpkg-query -W -f '${Package} ${Version}\n' clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32
} >build/wasm/manifest
cat build/libraries/*/debian/copyright >build/wasm/NOTICES
chmod 644 build/wasm/*
