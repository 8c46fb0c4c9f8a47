#!/bin/sh
# Draws the pictures of docs/gallery.md by the commands that the page shows.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/gallery
sed -n 's/^    stele render //p' docs/gallery.md | while read -r words; do
    # shellcheck disable=SC2086 # plain words
    build/stele render -f $words
done
du -ch docs/gallery/* | tail -n 1
