#!/bin/sh
# Installs what a step needs, by the names of Debian's packages: setup.sh build | check | bench.
# As root it installs what is missing; otherwise it prints the command that would. Elsewhere than on Debian it only looks for
# the programs.
set -eu
need=""

want() { # PACKAGE
    if command -v dpkg-query >/dev/null 2>&1; then
        dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed' || need="$need $1"
    fi
}

program() { # PROGRAM PACKAGE
    command -v "$1" >/dev/null 2>&1 || need="$need $2"
}

step=${1:-build}
program cc gcc
program make make
program cmake cmake
want libc6-dev
want liblz4-dev
case $step in
check)
    program clang clang
    program clang-format clang-format
    program g++ g++
    program python3 python3
    program git git
    want libcmocka-dev
    want libclang-rt-dev
    ;;
bench)
    want libassimp-dev
    program python3 python3
    ;;
esac

[ -n "$need" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing:$need"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    apt-get install -y -qq --no-install-recommends $need >/dev/null
else
    echo "missing:$need" >&2
    echo "run this, then again what you wanted:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y$need" >&2
    exit 1
fi
