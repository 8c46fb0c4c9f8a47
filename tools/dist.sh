#!/bin/bash
# What a release is made of, into build/dist: dist.sh [--twice]. Everything is built from the source archive, which is what is
# committed and nothing else. The same commit gives the same bytes on the same Debian; --twice builds in two places and compares.
# Then each part is used (tests/dist.py). RELEASING.md tells the rest.
set -eu
cd "$(dirname "$0")/.."
[ -e .git ] || { echo "dist.sh packs what is committed: run it in a clone" >&2; exit 1; }
git diff --quiet HEAD || echo "note: what is not committed is left out"
version=$(sed -n 's/^#define STELE_VERSION "\(.*\)"/\1/p' include/stele.h)
name=stele-$version
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C.UTF-8
umask 022

quietly() { # LOG COMMAND...
    local log=$1
    shift
    "$@" >"$log" 2>&1 || { tail -n 60 "$log" >&2; echo "failed: $*" >&2; exit 1; }
}

# Archives of a folder, with its name, that depend on nothing but names, modes and bytes.
pack_tar() { # FOLDER ARCHIVE
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$(dirname "$1")" -cf - "$(basename "$1")" |
        gzip -n9 >"$2"
}

pack_zip() { # FOLDER ARCHIVE
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$(dirname "$1")" && find "$(basename "$1")" -type f | sort | zip -qX9@ -) >"$2"
}

amalgamation() { # OUT
    mkdir -p "packed/$name-amalgamation"
    python3 tools/amalgamate.py "packed/$name-amalgamation" >/dev/null
    cp LICENSE "packed/$name-amalgamation"
    pack_zip "packed/$name-amalgamation" "$1/$name-amalgamation.zip"
}

npm_package() { # OUT
    quietly wasm.log tools/wasm.sh
    (cd build/wasm && npm pack --silent --pack-destination "$1" >/dev/null)
}

windows() { # OUT
    local folder=packed/$name-windows-x86_64
    quietly windows.log tools/windows.sh
    cp -r build/windows "$folder"
    cp CHANGELOG.md "$folder"
    pack_zip "$folder" "$1/$name-windows-x86_64.zip"
}

# The command, which needs nothing on the machine, its manual pages and completions: to be unpacked into /usr/local or ~/.local, or
# to be used where it is.
linux() { # OUT
    local folder=packed/$name-linux-x86_64
    quietly linux.log cmake --preset release
    quietly linux.log cmake --build build -j "$(nproc)" -- -s
    DESTDIR=$PWD/installed quietly linux.log cmake --install build --prefix /usr --strip
    mkdir -p "$folder/share/doc/stele"
    cp -r installed/usr/bin "$folder"
    cp -r installed/usr/share/{man,bash-completion,zsh,fish,mime,thumbnailers} "$folder/share"
    cp LICENSE README.md CHANGELOG.md "$folder/share/doc/stele"
    local linked="libc6-dev liblz4-dev libpng-dev libjpeg62-turbo-dev libwebp-dev zlib1g-dev"
    for package in $linked; do
        cat "/usr/share/doc/$package/copyright"
    done >"$folder/share/doc/stele/NOTICES"
    # shellcheck disable=SC2086 # a list of words
    dpkg-query -W -f '${Package} ${Version}\n' gcc $linked >"$folder/share/doc/stele/manifest"
    pack_tar "$folder" "$1/$name-linux-x86_64.tar.gz"
}

blender() { # OUT
    python3 tools/make_blender.py "$1/$name-blender.zip" packed/"$name"-linux-x86_64/bin/stele \
        windows-x86_64=build/windows/stele.exe >/dev/null
}

debian() { # OUT
    cat >debian/changelog <<END
stele ($version-1) unstable; urgency=medium

  * Release $version: changelog.gz in this folder tells what it brings.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
    DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" quietly debian.log dpkg-buildpackage -b -us -uc
    quietly lintian.log lintian --allow-root --fail-on error,warning ../*.changes
    mv ../*.deb "$1"
}

# One after the other, since each takes what those before it made: the page of `stele view` is in every command.
build() { # FOLDER OUT
    rm -rf "$1" "$2"
    mkdir -p "$1" "$2"
    git archive --prefix="$name/" HEAD | gzip -n9 >"$2/$name.tar.gz"
    tar -xzf "$2/$name.tar.gz" -C "$1"
    mkdir "$1/$name/build"
    ln -s "$PWD/build/libraries" "$1/$name/build/libraries"
    for part in amalgamation npm_package windows linux blender debian; do
        (cd "$1/$name" && "$part" "$2")
    done
    (cd "$2" && sha256sum -- * >SHA256SUMS)
    rm -rf "$1"
}

tools/libraries.sh
[ "${1-}" != --twice ] || unset CMAKE_C_COMPILER_LAUNCHER # a cache would make two builds one
build "$PWD/build/dist-work" "$PWD/build/dist"
if [ "${1-}" = --twice ]; then
    build "$(mktemp -d)/elsewhere" "$PWD/build/dist-again"
    diff build/dist/SHA256SUMS build/dist-again/SHA256SUMS || { echo "the second build is another" >&2; exit 1; }
    rm -rf build/dist-again
    echo "built twice, the same bytes"
fi
quietly build/dist.log python3 tests/dist.py
cat build/dist/SHA256SUMS
