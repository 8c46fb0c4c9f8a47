#!/bin/sh
# Shows the main job on the sample: what is in a model, is it sound, what is each byte, the same in an older dialect,
# and what it looks like.
set -eu
cd "$(dirname "$0")/.."
stele=build/stele
out=build/demo
rm -rf "$out"
mkdir -p "$out"

show() {
    printf '\n\033[1m$ %s\033[0m\n' "$*" | if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi
    "$@"
}

show $stele formats
show $stele info samples/scribe.sgm
show $stele check samples/scribe.sgm samples/scribe.sga samples/dialects/v3-nocolor.sgm
show $stele explain samples/dialects/v1.sga --at 0x1c0
printf '\n$ %s explain samples/dialects/v1a.sgm | head -n 24\n' "$stele"
$stele explain samples/dialects/v1a.sgm >"$out/v1a.txt"
head -n 24 "$out/v1a.txt"
show $stele convert samples/dialects/v1a.sgm "$out/upgraded.sgm" --dialect v3
show $stele info "$out/upgraded.sgm"
show $stele convert samples/scribe.sgm "$out/copy.sgm"
cmp samples/scribe.sgm "$out/copy.sgm" && echo "$out/copy.sgm is samples/scribe.sgm, byte for byte."
show $stele convert samples/scribe.sgm "$out/scribe.glb" --embed-textures
show $stele diff samples/scribe.sgm "$out/scribe.glb" || true
show $stele convert samples/scribe.sgm "$out/scribe.sff"
show $stele render samples/scribe.sgm -o "$out/scribe.png" --shadow
show $stele render samples/scribe.sgm -o "$out/bones.png" --clip walk --time 0.3 --joints --grid
show $stele render samples/scribe.sgm -o "$out/walk.webp" --clip walk --size 400x400
show $stele render -q -r samples --sheet -o "$out/samples.png" --size 128x128
look="$out/scribe.png $out/bones.png $out/walk.webp $out/samples.png"
if show $stele view --export "$out/scribe.html" samples/scribe.sgm; then # a command without WebAssembly has no page
    look="$look, in a browser $out/scribe.html"
fi
printf '\nTo look at: %s\n' "$look"
