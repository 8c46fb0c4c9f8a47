#!/bin/sh
# Builds and runs the benchmark against what make built; bench/bench.c says what is measured.
# The small files are those of STELE_CORPUS, of ../shared/corpus or else the samples.
set -eu
cd "$(dirname "$0")/.."
folder=build/bench
mkdir -p "$folder"
cc=${CC:-cc}
libraries="-lwebpmux -lwebp -lpng -ljpeg -lz -llz4 -lm -lpthread"

$cc -std=c11 -O2 -o "$folder/make_big" bench/make_big.c -lm
# shellcheck disable=SC2086 # several words
$cc -std=c11 -O3 -Iinclude -o "$folder/bench" bench/bench.c bench/files.c bench/race.c build/libstele.a $libraries
assimp=""
[ -f /usr/include/assimp/cimport.h ] && assimp="-DWITH_ASSIMP -lassimp"
# shellcheck disable=SC2086 # several words or none
$cc -std=c11 -O3 -Iinclude -o "$folder/convert" bench/convert.c bench/race.c build/libstele.a $libraries $assimp
dragonbox="" floor=""
for include in /usr/include/dragonbox-*; do
    [ -d "$include" ] || continue
    ${CXX:-c++} -std=c++17 -O3 -I"$include" -c -o "$folder/print_floor.o" bench/print_floor.cpp
    dragonbox="-DWITH_DRAGONBOX" floor="$folder/print_floor.o -ldragonbox_to_chars -lstdc++"
done
# shellcheck disable=SC2086 # several words or none
$cc -std=c11 -O3 -Iinclude $dragonbox -o "$folder/obj" bench/obj.c bench/race.c build/libstele.a $floor $libraries $assimp

big() { # KIND NAME
    [ -f "$folder/$2" ] || { "$folder/make_big" "$1" "$folder/$2.tmp" && mv "$folder/$2.tmp" "$folder/$2"; }
}
big sgm big.sgm
big twm big.twm
big mesh big.mesh
big sff big.sff
big sff-packed big-packed.sff
big ctc big.ctc
[ -f "$folder/big-v0.twm" ] || build/stele convert -q "$folder/big.twm" "$folder/big-v0.twm" --dialect v0
[ -f "$folder/big.glb" ] || build/stele convert -q "$folder/big.sgm" "$folder/big.glb"
[ -f "$folder/big.obj" ] || build/stele convert -q "$folder/big.sgm" "$folder/big.obj"
cat "$folder"/big* >/dev/null # into the page cache

corpus=${STELE_CORPUS:-../shared/corpus}
[ -d "$corpus" ] || corpus=samples/dialects
echo "$(uname -sm), $(getconf _NPROCESSORS_ONLN) cores, $($cc --version | head -n 1), small files: $corpus"
# 400 small models: those that there are, as often as it takes
if [ ! -d "$folder/small" ]; then
    mkdir "$folder/small.tmp"
    n=0
    while [ "$n" -lt 400 ]; do
        for model in $(find "$corpus" -name '*.sgm' | sort); do
            [ "$n" -lt 400 ] || break
            mkdir "$folder/small.tmp/$n"
            cp "$model" "$folder/small.tmp/$n"
            [ ! -f "${model%.sgm}.sga" ] || cp "${model%.sgm}.sga" "$folder/small.tmp/$n"
            n=$((n + 1))
        done
    done
    mv "$folder/small.tmp" "$folder/small"
fi
"$folder/bench" build/stele "$folder" "$corpus" samples/dialects/v3.sgm samples/scribe.sgm
"$folder/convert" build/stele "$folder" "$folder/small"
egl=""
[ -f /usr/include/GLES3/gl3.h ] && [ -f /usr/include/EGL/egl.h ] && egl="-DWITH_EGL -lEGL -lGLESv2"
# shellcheck disable=SC2086 # several words or none
$cc -std=c11 -O2 -Iinclude -o "$folder/render" bench/render.c bench/race.c build/libstele.a $libraries $egl
"$folder/render" build/stele samples/dialects/v3.sgm "$folder/small" "$folder/out.png"
"$folder/obj" build/stele "$folder"
# shellcheck disable=SC2086 # several words
$cc -std=c11 -O3 -Iinclude -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc -o "$folder/skin" bench/skin.c bench/race.c \
    build/libstele.a $libraries
"$folder/skin"
# cgltf: a package of newer Debians, and before in the sources of gltfpack
cgltf=""
if [ -f /usr/include/cgltf.h ]; then
    cgltf="-DWITH_CGLTF"
elif tools/libraries.sh meshoptimizer; then
    cgltf="-DWITH_CGLTF -Ibuild/sources/meshoptimizer/meshoptimizer/extern"
fi
if [ ! -d "$folder/small-glb" ]; then
    rm -rf "$folder/small-glb.tmp"
    mkdir "$folder/small-glb.tmp"
    for model in "$folder"/small/*/*.sgm; do
        build/stele convert -qq "$model" "$folder/small-glb.tmp/$(basename "$(dirname "$model")").glb"
    done
    mv "$folder/small-glb.tmp" "$folder/small-glb"
fi
# shellcheck disable=SC2086 # several words
$cc -std=c11 -O3 -Iinclude $cgltf -o "$folder/engine" bench/engine.c bench/files.c bench/race.c build/libstele.a $libraries
"$folder/engine" "$folder" "$folder/small" "$folder/small-glb"
if [ -n "$assimp" ] && [ -x build/stele-import ]; then
    # shellcheck disable=SC2086 # several words
    $cc -std=c11 -O2 -Iinclude -o "$folder/import" bench/import.c bench/race.c build/libstele.a $libraries -lpthread $assimp
    "$folder/import" build/stele "$folder"
fi
if [ -f build/wasm/stele.wasm ] && command -v node >/dev/null; then # make wasm
    node bench/wasm.mjs build/wasm build/stele "$folder/big.sgm" "$folder/out.glb"
fi
if command -v gltfpack >/dev/null 2>&1; then
    tools/bench_optimize.sh "$folder"
fi
