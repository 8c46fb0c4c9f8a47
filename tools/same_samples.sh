#!/bin/sh
# The samples in the repository are what the program makes. PNG files are left out: their bytes depend on the zlib at hand.
set -eu
cd "$(dirname "$0")/.."
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python3 tools/make_samples.py "$made" >/dev/null
diff -r --exclude='*.png' "$made" samples
