#!/bin/sh
# Installs what a step needs, by the names of Debian's packages: setup.sh build | wasm | bundle | windows | check | long | portable | dist |
# bench.
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
want libpng-dev
want libjpeg62-turbo-dev
want libwebp-dev
want zlib1g-dev
want libassimp-dev
wasm() {
    program clang-14 clang-14
    program wasm-ld-14 lld-14
    program dpkg-source dpkg-dev
    want wasi-libc
    want libclang-rt-14-dev-wasm32
}
windows() {
    program x86_64-w64-mingw32-gcc-posix gcc-mingw-w64-x86-64-posix
    program x86_64-w64-mingw32-windres binutils-mingw-w64-x86-64
    program dpkg-source dpkg-dev
}
case $step in
wasm) wasm ;;
bundle)
    wasm
    program node nodejs
    program npm npm
    ;;
windows) windows ;;
portable)
    wasm
    windows
    program node nodejs
    program python3 python3
    program wine wine
    want wine64
    program musl-gcc musl-tools
    program qemu-s390x qemu-user
    program i686-linux-gnu-gcc gcc-i686-linux-gnu
    program aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
    program arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf
    program s390x-linux-gnu-gcc gcc-s390x-linux-gnu
    want libc6-dev-i386-cross
    want libc6-dev-arm64-cross
    want libc6-dev-armhf-cross
    want libc6-dev-s390x-cross
    ;;
dist)
    wasm
    windows
    program node nodejs
    program npm npm
    program python3 python3
    program git git
    program zip zip
    program unzip unzip
    program dpkg-buildpackage dpkg-dev
    program dh debhelper
    program fakeroot fakeroot
    program lintian lintian
    ;;
check)
    wasm
    program clang clang
    program clang-format clang-format
    program g++ g++
    program python3 python3
    program git git
    program ninja ninja-build
    program tmux tmux
    program strace strace
    program assimp assimp-utils
    want assimp-testmodels
    program node nodejs
    program npm npm
    program chromium chromium
    program bash bash
    program zsh zsh
    program fish fish
    program man man-db
    program pkg-config pkg-config
    program gio libglib2.0-bin
    program update-mime-database shared-mime-info
    program dbus-daemon dbus
    program blender blender
    want python3-numpy
    program mypy mypy
    want tumbler
    want libegl-dev
    want libgl1-mesa-dri
    want libglfw3-dev
    program Xvfb xvfb
    want libcmocka-dev
    want libclang-rt-dev
    want libmeshoptimizer-dev
    ;;
long) # besides what check needs
    program i686-linux-gnu-g++ g++-i686-linux-gnu
    want libc6-dev-i386-cross
    ;;
bench)
    want libegl-dev
    want libgles-dev
    want libgl1-mesa-dri
    want libdragonbox-dev
    program gltfpack gltfpack
    program dpkg-source dpkg-dev # for cgltf, where it has no package
    program g++ g++
    program python3 python3
    if apt-cache show libcgltf-dev >/dev/null 2>&1; then
        want libcgltf-dev
    fi
    ;;
esac

install() {
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
}

# What the tests and the page need from npm, in the versions of the lock file; again only when that changes.
install_npm() { # FOLDER
    there=$1/node_modules/.package-lock.json
    if [ ! -f "$there" ] || [ -n "$(find "$1/package-lock.json" -newer "$there")" ]; then
        (cd "$1" && npm ci --silent) || { echo "npm could not fetch what $1/package-lock.json lists" >&2; exit 1; }
    fi
}

[ -z "$need" ] || install
cd "$(dirname "$0")/.."
case $step in
check) install_npm tests/npm && install_npm web ;;
bundle) install_npm web ;;
esac
