#!/bin/sh
# Builds the release once more, from a copy of the sources in another folder, and compares: who builds a version gets the same bytes.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -cf - CMakeLists.txt CMakePresets.json cmake include src cli sandbox import data docs tools web/dist | tar -xf - -C "$work"
mkdir "$work/build"
[ ! -d build/wasm ] || cp -r build/wasm "$work/build"
for place in . "$work"; do
    cmake -S "$place" -B "$place/build" -DCMAKE_BUILD_TYPE=Release -DSTELE_PAGE=ON >/dev/null
    cmake --build "$place/build" -j "$(nproc)" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
for name in stele libstele.a libstele.so; do
    cmp "build/$name" "$work/build/$name" || { echo "$name differs from build to build"; exit 1; }
    echo "# $(sha256sum "build/$name" | cut -c1-16)  $name, twice"
done
