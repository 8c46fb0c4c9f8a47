#!/bin/sh
# stele optimize beside gltfpack without quantisation, on the same small GLBs: one process for all against one for each, the best of three.
# gltfpack rounds colours and weights to 8 bits and keys to 30 a second all the same: the second line is with as much rounding. It also
# drops colours that are white and attributes that no texture uses, puts triangles in order that are seen through each other (the ACMR
# is of files without such), and proves nothing.
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

acmr() { # FOLDER: of all triangles in files that are not blended
    build/stele optimize --dry-run --json -j2 -r "$1" 2>/dev/null | python3 "$(dirname "$0")/bench_acmr.py" "$folder/optimize/glb"
}

ours=$(milliseconds build/stele optimize -qq -f -j2 -r "$folder/optimize/glb" --out-dir "$folder/optimize/stele")
theirs=$(milliseconds pack_each)
build/stele optimize -qq -f -j2 --round 0.002 --key-tolerance 1e-4 -r "$folder/optimize/glb" --out-dir "$folder/optimize/rounded" || true
echo "optimize, 400 small GLB, -j2: $ours ms, $(bytes "$folder/optimize/stele") of $(bytes "$folder/optimize/glb") bytes;" \
    "gltfpack $theirs ms, $(bytes "$folder/optimize/gltfpack") bytes"
echo "  with --round 0.002 --key-tolerance 1e-4: $(bytes "$folder/optimize/rounded") bytes; ACMR $(acmr "$folder/optimize/stele")," \
    "gltfpack $(acmr "$folder/optimize/gltfpack")"
