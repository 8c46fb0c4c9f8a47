#!/bin/sh
# The share of the library that its C tests reach; tools/coverage.floor may only rise.
set -eu
cd "$(dirname "$0")/.."
cmake --preset coverage >/dev/null
cmake --build build/coverage -j "$(nproc)"
find build/coverage -name '*.gcda' -delete
(cd build/coverage && ctest --output-on-failure -j "$(nproc)")
python3 tools/coverage.py build/coverage tools/coverage.floor
