#!/bin/bash
# Every test: gcc and clang builds without warnings, all tests with and without sanitizers, the command as its users see it,
# the house rules, the formatting, which lines the tests reach, and a short fuzz run.
set -u
cd "$(dirname "$0")/.."
passed=0 failed=0 failures=""
log=build/check.log
mkdir -p build
: >"$log"

step() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    if "$@" >build/step.log 2>&1; then
        passed=$((passed + 1))
        printf 'ok      %-28s %4d s\n' "$name" $((SECONDS - start))
        grep -E "^# |\.\.\. skipped" build/step.log | sort -u | sed 's/^/          /' || true
    else
        failed=$((failed + 1))
        failures="$failures $name"
        printf 'FAILED  %-28s %4d s\n' "$name" $((SECONDS - start))
        tail -n 60 build/step.log
    fi
    cat build/step.log >>"$log"
}

build() { # PRESET
    cmake --preset "$1" && cmake --build "build${2-/$1}" -j "$(nproc)"
}

run_tests() { # PRESET
    (cd "build/$1" && ctest --output-on-failure -j "$(nproc)")
}

python_tests() { # FILE
    STELE_BUILD="$PWD/build" STELE="$PWD/build/stele" PYTHONDONTWRITEBYTECODE=1 python3 "tests/$1" -v
}

step "build (release)" build release ""
step "build (gcc, -Werror)" build dev
step "build (wasm and the page)" tools/web.sh
step "tests (gcc)" run_tests dev
step "build (clang, sanitizers)" build asan
step "tests (sanitizers)" run_tests asan
step "coverage" tools/coverage.sh
step "samples are reproducible" tools/same_samples.sh
step "the build is reproducible" tools/same_build.sh
for test in tests/test_*.py; do
    step "$(basename "$test")" python_tests "$(basename "$test")"
done
step "formatting" tools/formatted.sh
step "fuzz" tools/fuzz.sh --again 20000

[ -z "$failures" ] || echo "failed:$failures (build/check.log has everything)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
