#!/bin/bash
# Big-endian and 32-bit hosts: the command is built for s390x (run by qemu) and i686, and must explain, check and rewrite all
# samples exactly as here. Not part of `make check`, because it installs 400 MB of cross compilers.
set -eu
cd "$(dirname "$0")/.."
need=""
for package in gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-i686-linux-gnu libc6-dev-i386-cross qemu-user; do
    dpkg-query -W -f '${Status}' $package 2>/dev/null | grep -q 'ok installed' || need="$need $package"
done
if [ -n "$need" ]; then
    [ "$(id -u)" = 0 ] || { echo "run: sudo apt-get install -y$need"; exit 1; }
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $need >/dev/null
fi

# The libraries of another architecture, unpacked beside the build: the machine itself stays as it is.
fetch_libraries() { # ARCHITECTURE FOLDER
    local lists=$PWD/$2/lists
    mkdir -p "$lists/partial" "$2/unpacked"
    (cd "$2" && apt-get -qq -o Dir::State::lists="$lists" -o APT::Architectures::="$1" update
        apt-get -qq -o Dir::State::lists="$lists" -o APT::Architectures::="$1" download "liblz4-dev:$1" "libpng-dev:$1" \
            "libjpeg62-turbo-dev:$1" "libwebp-dev:$1" "zlib1g-dev:$1") >"$2/apt.log" 2>&1 || true
    for package in "$2"/*.deb; do
        dpkg -x "$package" "$2/unpacked"
    done
}

portable() { # NAME COMPILER RUNNER ARCHITECTURE TUPLE
    local build=build/portable-$1
    mkdir -p "$build"
    [ -d "$build/unpacked/usr" ] || fetch_libraries "$4" "$build"
    cmake -S . -B "$build" -DCMAKE_C_COMPILER="$2" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" \
        -DCMAKE_BUILD_TYPE=Release -DSTELE_WERROR=ON -DCMAKE_C_FLAGS="-isystem $PWD/$build/unpacked/usr/include -isystem $PWD/$build/unpacked/usr/include/$5" \
        -DCMAKE_EXE_LINKER_FLAGS="-static -L$PWD/$build/unpacked/usr/lib/$5" >/dev/null
    cmake --build "$build" -j "$(nproc)" --target stele >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
    printf '#!/bin/sh\nexec %s %s/stele "$@"\n' "$3" "$PWD/$build" >"$build/run"
    chmod +x "$build/run"
    for test in $(cd tests && ls test_golden.py test_oracle*.py); do
        STELE="$PWD/$build/run" PYTHONDONTWRITEBYTECODE=1 python3 "tests/$test"
    done
    echo "$1: fine"
}

portable i686 i686-linux-gnu-gcc "" i386 i386-linux-gnu
portable s390x s390x-linux-gnu-gcc qemu-s390x s390x s390x-linux-gnu
