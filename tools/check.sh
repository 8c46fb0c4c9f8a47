#!/bin/bash
# Every test: gcc and clang builds without warnings, all tests with and without sanitizers, the command as its users see it,
# the house rules, the formatting, which lines the tests reach, and a short fuzz run.
set -u
cd "$(dirname "$0")/.." || exit
results=build/check
. tools/steps.sh

# Many wait for browsers and processes more than they compute: two at a time.
steps_for() { # COMMAND FILE...
    local command=$1 file
    shift
    for file; do
        [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
        step "$(basename "$file")" "$command" "$(basename "$file")" &
    done
    wait
}

run_tests() { # PRESET
    find "build/$1" -name '*.gcda' -delete
    (cd "build/$1" && ctest --output-on-failure -j "$(nproc)")
}

python_tests() { # FILE
    STELE_BUILD="$PWD/build" STELE="$PWD/build/stele" PYTHONDONTWRITEBYTECODE=1 python3 "tests/$1" -v
}

step "build (release)" build release ""
step "build (wasm and the page)" tools/web.sh
step "build (gcc, -Werror)" build coverage
step "tests (gcc)" run_tests coverage
step "coverage" python3 tools/coverage.py build/coverage tools/coverage.floor
step "build (clang, sanitizers)" build asan
step "tests (sanitizers)" run_tests asan
step "samples are reproducible" tools/same_samples.sh
step "the build is reproducible" tools/same_build.sh
step "test_install.py" python_tests test_install.py # alone, for it builds what the others run
GLOBIGNORE=tests/test_install.py
steps_for python_tests tests/test_*.py
unset GLOBIGNORE
step "formatting" tools/formatted.sh
step "fuzz" tools/fuzz.sh --again 5000

finish
