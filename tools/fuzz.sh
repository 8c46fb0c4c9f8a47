#!/bin/sh
# Fuzzes every format, and images, two at a time, for the given number of seconds; or, with --again N, a given number of times from
# the same seed without what earlier runs left, so that two machines see the same. PRESET in the environment is the build: asan, or
# fuzz32 for 32 bits, or msan for memory that nobody wrote to. What crashes is left in build/PRESET/found; give it the name of the bug
# and put it in tests/crashers, where every test run opens it again.
set -eu
cd "$(dirname "$0")/.."
seconds=600 runs=
case ${1-} in
--again) runs=$2 ;;
?*) seconds=$1 ;;
esac
preset=${PRESET:-asan}
build=build/$preset
cmake --preset "$preset" >/dev/null
cmake --build "$build" -j "$(nproc)" >"$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }
mkdir -p "$build/found"
failed=0

run() { # FORMAT or image
    corpus=$build/corpus-$1
    limit="-max_total_time=$seconds"
    if [ "$runs" ]; then
        corpus=$corpus-again
        limit="-runs=$runs -seed=1"
        rm -rf "$corpus"
    fi
    mkdir -p "$corpus"
    seeds="samples/dialects samples/gaps fuzz/seeds tests/crashers"
    words="" driver=format
    case $1 in
    glb | gltf) words=-dict=fuzz/gltf.dict ;;
    image) seeds=fuzz/images driver=image ;;
    esac
    if STELE_FORMAT=$1 "$build/fuzz/fuzz_$driver" $limit -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$build/found/" -print_final_stats=1 $words "$corpus" $seeds >"$build/$1.log" 2>&1; then
        done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log")
        echo "$preset $1: $done runs${runs:+ that are always the same}, nothing found"
    else
        tail -n 30 "$build/$1.log"
        echo "$preset $1: FOUND, see $build/found"
        return 1
    fi
}

formats=$("$build/stele" formats | sed -n 's|^\([a-z0-9]\{1,\}\)  .*|\1|p')
pids=""
for format in $formats image; do
    run "$format" &
    pids="$pids $!"
    # shellcheck disable=SC2086
    [ "$(echo $pids | wc -w)" -lt 2 ] || { for pid in $pids; do wait "$pid" || failed=1; done; pids=""; }
done
for pid in $pids; do wait "$pid" || failed=1; done
exit $failed
