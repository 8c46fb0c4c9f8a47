#!/bin/sh
# Builds the release twice, from copies of the sources in two folders, and compares: who builds a version gets the same bytes.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for copy in one another/place; do
    mkdir -p "$work/$copy"
    tar -cf - CMakeLists.txt CMakePresets.json cmake include src cli sandbox import data docs tools web/dist | tar -xf - -C "$work/$copy"
    cmake -S "$work/$copy" -B "$work/$copy/build" -DCMAKE_BUILD_TYPE=Release >/dev/null
    cmake --build "$work/$copy/build" -j "$(nproc)" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
for name in stele libstele.a libstele.so; do
    cmp "$work/one/build/$name" "$work/another/place/build/$name" || { echo "$name differs from build to build"; exit 1; }
    echo "# $(sha256sum "$work/one/build/$name" | cut -c1-16)  $name, twice"
done
