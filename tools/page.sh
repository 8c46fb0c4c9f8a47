#!/bin/sh
# What `stele view` needs to have its page in it: WebAssembly, where that can be built. Elsewhere the command has no page, and says
# so when it is asked for one.
set -u
cd "$(dirname "$0")/.."
mkdir -p build
log=build/page.log
(tools/setup.sh wasm && tools/wasm.sh) >$log 2>&1 && exit 0
echo "stele view is built without its page (make PAGE=OFF does not try):" >&2
tail -n 3 $log >&2
