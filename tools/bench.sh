#!/bin/sh
# Builds and runs the benchmark against what make built; bench/bench.c says what is measured.
# The small files are those of STELE_CORPUS, of ../shared/corpus or else the samples.
set -eu
cd "$(dirname "$0")/.."
folder=build/bench
mkdir -p "$folder"
cc=${CC:-cc}

$cc -std=c11 -O2 -o "$folder/make_big" bench/make_big.c -lm
$cc -std=c11 -O3 -Iinclude -o "$folder/bench" bench/bench.c build/libstele.a -llz4 -lm
if [ ! -f "$folder/big.sgm" ]; then
    "$folder/make_big" "$folder/big.tmp"
    mv "$folder/big.tmp" "$folder/big.sgm"
fi
cat "$folder/big.sgm" >/dev/null # into the page cache

corpus=${STELE_CORPUS:-../shared/corpus}
[ -d "$corpus" ] || corpus=samples/dialects
echo "$(uname -sm), $(getconf _NPROCESSORS_ONLN) cores, $($cc --version | head -n 1), small files: $corpus"
"$folder/bench" build/stele "$folder/big.sgm" "$folder/out.sgm" "$corpus" samples/dialects/v3.sgm samples/scribe.sgm
