# shellcheck shell=bash disable=SC2154
# What check.sh and check_long.sh share: steps, each with a line of how it ended, and a log. Made to be read by bash where results is
# the folder for them.
rm -rf "$results"
mkdir -p "$results"

step() { # NAME COMMAND...
    local name=$1 start=$SECONDS said="$results/$1.log" ended=ok
    shift
    "$@" >"$said" 2>&1 || ended=FAILED
    {
        printf '%-7s %-34s %4d s\n' $ended "$name" $((SECONDS - start))
        if [ $ended = ok ]; then
            grep -E "^# |\.\.\. skipped" "$said" | sort -u | sed 's/^/          /'
        else
            touch "$results/$name.failed"
            tail -n 60 "$said"
        fi
    } >"$results/$name.summary"
    cat "$results/$name.summary"
}

build() { # PRESET
    cmake --preset "$1" && cmake --build "build${2-/$1}" -j "$(nproc)"
}

finish() {
    local failed
    cat "$results"/*.log >"$results.log"
    failed=$(find "$results" -name '*.failed' -printf '%f, ' | sed 's/\.failed//g')
    if [ "$failed" ]; then
        echo "failed: ${failed%, } ($results.log has everything)"
        exit 1
    fi
    echo "$(find "$results" -name '*.summary' | wc -l) steps passed"
}
