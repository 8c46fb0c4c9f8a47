#!/bin/sh
# The page that shows a model and its bytes: the command with the page in it writes build/web/index.html, one file that needs
# nothing else. web/dist is what npm makes of web/src; with --bundle it is made again.
set -eu
cd "$(dirname "$0")/.."
if [ "${1-}" = --bundle ]; then
    mkdir -p web/dist
    node web/build.mjs web/dist/page.html
fi
tools/wasm.sh
cmake --preset release >/dev/null
cmake --build build -j "$(nproc)" -- -s
mkdir -p build/web
build/stele view -f --export build/web/index.html
