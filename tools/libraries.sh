#!/bin/sh
# The sources of the libraries that Stele links, for targets that Debian has no packages for: from Debian's source packages, with
# Debian's patches, into build/libraries. What is there in which version is in build/libraries/manifest.
# libraries.sh NAME gets that source package instead, into build/sources: a peer of the benchmark that has no package.
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/build/libraries
names="zlib libpng1.6 libjpeg-turbo libwebp lz4"
if [ $# = 1 ]; then
    folder=$PWD/build/sources/$1
    names=$1
fi
[ ! -f "$folder/manifest" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder/apt/parts" "$folder/apt/lists/partial" "$folder/apt/cache"
cd "$folder"

# Lists of their own, from where the machine gets its packages: its own configuration stays as it is.
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"apt/parts/$(basename "$list")"
done
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$list" ] || sed -n 's/^deb[[:space:]]/deb-src /p' "$list" >"apt/parts/$(basename "$list")"
done
apt() { # PROGRAM ARGUMENT...
    program=$1
    shift
    "$program" -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/apt/parts" \
        -o Dir::State::lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User=root "$@"
}
apt apt-get update >apt/log 2>&1 || true # one list that cannot be had may be one that is not needed

# The newest version that can be had: a mirror may name one that it has not got yet.
fetch() { # NAME
    for version in $(apt apt-cache showsrc "$1" | sed -n 's/^Version: //p' | sort -uVr); do
        if apt apt-get --download-only source "$1=$version" >>apt/log 2>&1; then
            dpkg-source --no-check -x "$1_${version#*:}.dsc" "$1" >>apt/log 2>&1
            echo "$1 $version" >>apt/manifest
            return
        fi
    done
    echo "Debian's source package $1 cannot be had; $folder/apt/log says why" >&2
    exit 1
}
for name in $names; do
    fetch "$name"
done
rm -rf apt/lists apt/cache ./*.tar.* ./*.dsc
mv apt/manifest manifest
