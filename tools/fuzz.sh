#!/bin/sh
# Fuzzes every format, and images, two at a time, for the given number of seconds; or, with --again N, a given number of times from
# the same seed without what earlier runs left, so that two machines see the same. What crashes is left in build/fuzz/found; give it the
# name of the bug and put it in tests/crashers, where every test run opens it again.
set -eu
cd "$(dirname "$0")/.."
seconds=600 runs=
case ${1-} in
--again) runs=$2 ;;
?*) seconds=$1 ;;
esac
cmake --preset fuzz >/dev/null
cmake --build build/fuzz -j "$(nproc)" >build/fuzz/build.log 2>&1 || { cat build/fuzz/build.log; exit 1; }
mkdir -p build/fuzz/found
failed=0

run() { # FORMAT or image
    corpus=build/fuzz/corpus-$1
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
    if STELE_FORMAT=$1 "build/fuzz/fuzz/fuzz_$driver" $limit -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix=build/fuzz/found/ -print_final_stats=1 $words "$corpus" $seeds >"build/fuzz/$1.log" 2>&1; then
        done=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$1.log")
        echo "fuzz $1: $done runs${runs:+ that are always the same}, nothing found"
    else
        tail -n 30 "build/fuzz/$1.log"
        echo "fuzz $1: FOUND, see build/fuzz/found"
        return 1
    fi
}

formats=$(build/fuzz/stele formats | sed -n 's|^\([a-z0-9]\{1,\}\)  .*|\1|p')
pids=""
for format in $formats image; do
    run "$format" &
    pids="$pids $!"
    # shellcheck disable=SC2086
    [ "$(echo $pids | wc -w)" -lt 2 ] || { for pid in $pids; do wait "$pid" || failed=1; done; pids=""; }
done
for pid in $pids; do wait "$pid" || failed=1; done
exit $failed
