#!/bin/sh
# For Windows on x86-64: build/windows has stele.exe, and stele.dll with its import library and header.
set -eu
cd "$(dirname "$0")/.."
tools/libraries.sh
cmake -S . -B build/windows-build --toolchain "$PWD/cmake/windows.cmake" -DCMAKE_BUILD_TYPE=Release -DSTELE_HARDEN=OFF -DSTELE_WERROR=ON \
    -DSTELE_LIBRARIES="$PWD/build/libraries" >/dev/null
log=build/windows-build/log
cmake --build build/windows-build -j "$(nproc)" >$log 2>&1 || { cat $log; exit 1; }
mkdir -p build/windows
x86_64-w64-mingw32-strip -o build/windows/stele.exe build/windows-build/stele.exe
x86_64-w64-mingw32-strip -o build/windows/stele.dll build/windows-build/stele.dll
cp build/windows-build/libstele.dll.a include/stele.h LICENSE README.md build/windows
cat build/libraries/*/debian/copyright >build/windows/NOTICES
{
    cat build/libraries/manifest
    dpkg-query -W -f '${Package} ${Version}\n' gcc-mingw-w64-x86-64-posix mingw-w64-x86-64-dev
} >build/windows/manifest
