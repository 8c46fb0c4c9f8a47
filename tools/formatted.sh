#!/bin/sh
# Fails if clang-format would change anything; `make format` does it.
set -eu
cd "$(dirname "$0")/.."
clang-format --dry-run -Werror include/*.h $(find src -name "*.[ch]") cli/*.[ch] wasm/*.[ch] wasm/include/*.h import/*.[ch] sandbox/*.[ch] tests/*.[ch] fuzz/*.c examples/*.[ch] examples/*.cpp $(ls bench/*.c 2>/dev/null)
