#!/bin/bash
# What `make check` has no time for: every format while its bytes change, for a minute each; each allocation of everything failing
# once; each byte of each sample with each other value; costly files all ways; the sanitizer of threads; fuzzing, also with 32 bits
# and with the sanitizer of memory.
set -u
cd "$(dirname "$0")/.." || exit
results=build/check_long
. tools/steps.sh

# Findings are none of our business here, reports of the sanitizer are: they end with 66.
threaded() { # ARGUMENT...
    local code=0
    TSAN_OPTIONS=halt_on_error=1 build/tsan/stele "$@" -qq -j 8 || code=$?
    [ $code -lt 5 ]
}

# Bytes that change under a reader are a race by intention.
threads() {
    local out=build/tsan/out
    rm -rf "$out"
    (cd build/tsan && ctest --output-on-failure -j "$(nproc)" -E changing) &&
        threaded check -r samples && threaded convert -r samples --to glb --out-dir "$out" &&
        threaded convert -r samples --to obj --out-dir "$out" && threaded diff -r samples samples &&
        threaded render -r samples --out-dir "$out" && threaded render --shadow --wireframe -f samples/scribe.sgm -o "$out/a.png"
}

step "build (clang, sanitizers)" build asan
step "files that change, 60 s a format" env STELE_SECONDS=60 build/asan/tests/test_changing &
step "each allocation fails" env STELE_SWEEP=all build/asan/tests/test_exhausted
step "each byte with each value" env STELE_SWEEP=all build/asan/tests/test_files
wait
step "build (release)" build release ""
for test in cost import blender; do # of which make check tries a third
    step "test_$test.py, all of it" env STELE="$PWD/build/stele" STELE_PATIENT=1 python3 tests/test_$test.py
done
step "build (thread sanitizer)" build tsan
step "threads" threads
step "fuzz (120 s a format)" tools/fuzz.sh 120
step "sources of the libraries" tools/libraries.sh
step "fuzz, 32 bits (30 s a format)" env PRESET=fuzz32 tools/fuzz.sh 30
step "fuzz, memory (30 s a format)" env PRESET=msan tools/fuzz.sh 30
finish
