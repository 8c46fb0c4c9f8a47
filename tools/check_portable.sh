#!/bin/bash
# The same bytes everywhere: all that Stele makes of the samples, the corpus and a thousand mutated files (tests/sweeping.py), as
# WebAssembly, for Windows (wine), with musl, and on i686, aarch64, armhf and s390x (qemu), compared with this machine by SHA-256;
# and the command's own tests for Windows. Not part of `make check`, because it installs about 1 GB.
# `check_portable.sh s390x wine` does only these.
set -u
cd "$(dirname "$0")/.."
what=${*:-wasm wine musl i686 aarch64 armhf s390x}
failed="" log=build/step_portable.log
export WINEDEBUG=-all WINEPREFIX=$PWD/build/wine STELE_BUILD=$PWD/build PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8

step() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    if "$@" >$log 2>&1; then
        printf 'ok      %-36s %4d s\n' "$name" $((SECONDS - start))
        grep '^# ' $log | sed 's/^/          /'
    else
        failed="$failed ($name)"
        printf 'FAILED  %-36s %4d s\n' "$name" $((SECONDS - start))
        tail -n 60 $log
    fi
    return 0
}

build_here() {
    cmake --preset release && cmake --build build -j "$(nproc)" && cmake --build build --target sweep
}

# With the libraries that WebAssembly and Windows get, so that no machine needs packages of its own.
build_for() { # NAME COMPILER FLAGS
    local processor=$1
    [ "$1" != musl ] || processor=x86_64
    tools/libraries.sh
    cmake -S . -B "build/$1" -DCMAKE_C_COMPILER="$2" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor" \
        -DCMAKE_BUILD_TYPE=Release -DSTELE_WERROR=ON -DSTELE_HARDEN=OFF -DSTELE_WITH_IMPORT=OFF -DSTELE_PAGE=OFF \
        -DSTELE_LIBRARIES="$PWD/build/libraries" -DCMAKE_C_FLAGS="$3" -DCMAKE_EXE_LINKER_FLAGS=-static &&
        cmake --build "build/$1" -j "$(nproc)" --target stele sweep
}

sweep() { # EACH NAME COMMAND...
    python3 tests/sweeping.py --each "$@"
}

# The command that runs there, as one that tests can call.
wrap() { # NAME COMMAND...
    local script=$PWD/build/portable/run-$1
    shift
    printf '#!/bin/sh\nexec %s "$@"\n' "$*" >"$script"
    chmod +x "$script"
    echo "$script"
}

tests() { # SCRIPT TEST...
    local script=$1
    shift
    for test in "$@"; do
        STELE=$script python3 "tests/$test" || return 1
    done
}

portable() { # NAME COMPILER FLAGS EACH [EMULATOR]
    step "$1: build" build_for "$1" "$2" "$3"
    step "$1: sweep" sweep "$4" "$1" ${5:+"$5"} "$PWD/build/$1/sweep"
    step "$1: what the command says" tests "$(wrap "$1" ${5:+"$5"} "$PWD/build/$1/stele")" test_golden.py $(cd tests && echo test_oracle*.py)
}

windows_tests() { # a skipped one is a failed one: here all that they need is there
    python3 tests/test_windows.py -v 2>&1 | tee build/portable/windows.log
    [ "${PIPESTATUS[0]}" = 0 ] && ! grep "skipped" build/portable/windows.log
}

on() {
    case $1 in
    wasm)
        step "wasm: build" tools/wasm.sh
        step "wasm: sweep" sweep 1 wasm node "$PWD/tests/sweep.mjs" "$PWD/build/wasm-build/sweep.wasm"
        ;;
    wine)
        step "wine: build" tools/windows.sh
        step "wine: build the sweep" cmake --build build/windows-build -j "$(nproc)" --target sweep
        step "wine: set up" wine wineboot --init
        step "wine: sweep" sweep 1 wine wine "$PWD/build/windows-build/sweep.exe"
        step "wine: test_windows.py" windows_tests
        # all but test_cli_terminal.py, for wine draws consoles into terminals; what else cannot be is marked in them
        step "wine: the command line" tests "$(wrap wine wine "$PWD/build/windows/stele.exe")" test_cli.py test_cli_batches.py test_cli_json.py
        # without the oracles: they start it thousands of times, and the sweep has seen their files
        step "wine: what the command says" tests "$(wrap wine wine "$PWD/build/windows/stele.exe")" test_golden.py
        ;;
    musl) portable musl musl-gcc "-idirafter /usr/include -idirafter /usr/include/$(cc -print-multiarch)" 1 ;;
    i686) portable i686 i686-linux-gnu-gcc "" 1 ;;
    aarch64) portable aarch64 aarch64-linux-gnu-gcc "" 4 qemu-aarch64 ;;
    armhf) portable armhf arm-linux-gnueabihf-gcc "" 4 qemu-arm ;;
    s390x) portable s390x s390x-linux-gnu-gcc "" 4 qemu-s390x ;;
    *) echo "unknown: $1" >&2 && exit 2 ;;
    esac
}

mkdir -p build/portable
step "build" build_here
step "sweep" sweep 1 here "$PWD/build/sweep"
for machine in $what; do
    on "$machine"
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
