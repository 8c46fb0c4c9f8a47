#!/bin/sh
# stele optimize beside gltfpack without quantisation, on the same small GLBs: one process for all against one for each, the best of three.
# gltfpack rounds colours and weights to 8 bits all the same, drops texture coordinates that no texture uses, and proves nothing.
set -eu
folder=$1
rm -rf "$folder/optimize"
mkdir -p "$folder/optimize/gltfpack"
build/stele convert -qq -r "$folder/small" --to glb --out-dir "$folder/optimize/glb" || true

milliseconds() { # COMMAND...
    best=""
    for _ in 1 2 3; do
        start=$(date +%s%N)
        "$@" >/dev/null 2>&1 || true
        took=$((($(date +%s%N) - start) / 1000000))
        [ -n "$best" ] && [ "$best" -le "$took" ] || best=$took
    done
    echo "$best"
}

pack_each() {
    find "$folder/optimize/glb" -name '*.glb' | while read -r glb; do
        gltfpack -noq -kn -km -ke -i "$glb" -o "$folder/optimize/gltfpack/$(basename "$(dirname "$glb")").glb"
    done
}

bytes() { # FOLDER
    find "$1" -name '*.glb' -exec cat {} + | wc -c
}

ours=$(milliseconds build/stele optimize -qq -f -j2 -r "$folder/optimize/glb" --out-dir "$folder/optimize/stele")
theirs=$(milliseconds pack_each)
echo "optimize, 400 small GLB, -j2: $ours ms, $(bytes "$folder/optimize/stele") of $(bytes "$folder/optimize/glb") bytes;" \
    "gltfpack $theirs ms, $(bytes "$folder/optimize/gltfpack") bytes"
