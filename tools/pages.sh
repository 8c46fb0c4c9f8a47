#!/bin/sh
# Writes the manual pages and completions that are made from the tables of options: pages.sh STELE FOLDER.
set -eu
stele=$1 folder=$2
mkdir -p "$folder/man/man1" "$folder/bash-completion/completions" "$folder/zsh/site-functions" "$folder/fish/vendor_completions.d"
"$stele" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r verb; do
    "$stele" help --man "$verb" >"$folder/man/man1/stele-$verb.1"
done
"$stele" help --completions bash >"$folder/bash-completion/completions/stele"
"$stele" help --completions zsh >"$folder/zsh/site-functions/_stele"
"$stele" help --completions fish >"$folder/fish/vendor_completions.d/stele.fish"
