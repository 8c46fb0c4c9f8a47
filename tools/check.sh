#!/bin/bash
# Every test: gcc and clang builds without warnings, all tests with and without sanitizers, the command as its users see it,
# the house rules, the formatting, which lines the tests reach, and a short fuzz run.
# check.sh test_NAME.py: only that one.
set -u
cd "$(dirname "$0")/.."
export LOGS=$PWD/build/check

# Runs and tells; the log is kept.
run() { # NAME COMMAND...
    local name=$1 start=$SECONDS log="$LOGS/$1.log" code=0
    shift
    "$@" >"$log" 2>&1 || code=1
    if [ $code = 0 ]; then
        printf 'ok      %-28s %4d s\n' "$name" $((SECONDS - start))
        grep -E "^# |\.\.\. skipped" "$log" | sort -u | sed 's/^/          /'
    else
        printf 'FAILED  %-28s %4d s\n' "$name" $((SECONDS - start))
        tail -n 60 "$log"
        echo "$name" >>"$LOGS/failed"
    fi
    echo "$name" >>"$LOGS/done"
    return $code
}

step() { # NAME COMMAND...
    run "$@" || true
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

if [ $# = 1 ]; then
    mkdir -p "$LOGS"
    run "$1" python_tests "$1"
    exit
fi
rm -rf "$LOGS"
mkdir -p "$LOGS"
: >"$LOGS/failed"

step "build (release)" build release ""
step "build (gcc, -Werror)" build dev
step "build (wasm and the page)" tools/web.sh
step "tests (gcc)" run_tests dev
step "build (clang, sanitizers)" build asan
step "tests (sanitizers)" run_tests asan
step "coverage" tools/coverage.sh
step "samples are reproducible" tools/same_samples.sh
step "the build is reproducible" tools/same_build.sh
# as many at once as there are cores; xargs, because a shell lets what it puts behind ignore Ctrl-C, which some of them press
(cd tests && echo test_*.py) | tr ' ' '\n' | xargs -P "$(nproc)" -n 1 tools/check.sh
step "formatting" tools/formatted.sh
step "fuzz" tools/fuzz.sh --again 20000

failed=$(wc -l <"$LOGS/failed")
[ "$failed" = 0 ] || echo "failed: $(tr '\n' ' ' <"$LOGS/failed")(build/check has the logs)"
echo "$(($(wc -l <"$LOGS/done") - failed)) passed, $failed failed"
[ "$failed" = 0 ]
