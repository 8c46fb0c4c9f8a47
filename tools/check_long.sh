#!/bin/bash
# What `make check` has no time for: every format while its bytes change, for a minute each, and each allocation of everything
# failing once. A step may be added that takes longer than a minute.
set -u
cd "$(dirname "$0")/.."
failed=0
mkdir -p build

step() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    if "$@" >build/step_long.log 2>&1; then
        printf 'ok      %-34s %4d s\n' "$name" $((SECONDS - start))
        grep -E "^# " build/step_long.log | sed 's/^/          /' || true
    else
        failed=1
        printf 'FAILED  %-34s %4d s\n' "$name" $((SECONDS - start))
        tail -n 60 build/step_long.log
    fi
}

build() {
    cmake --preset asan && cmake --build build/asan -j "$(nproc)"
}

step "build (clang, sanitizers)" build
step "files that change, 60 s a format" env STELE_SECONDS=60 build/asan/tests/test_changing
step "each allocation fails" env STELE_SWEEP=all build/asan/tests/test_exhausted
step "fuzz (120 s a format)" tools/fuzz.sh 120
exit $failed
