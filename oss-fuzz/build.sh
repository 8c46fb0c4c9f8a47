#!/bin/sh
# Builds the drivers as OSS-Fuzz wants them: into $OUT, with its compiler, flags and engine, and nothing that is loaded at run time.
set -eu
cmake -S "$SRC/stele" -B "$WORK/stele" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$CFLAGS -DSTELE_SELF_CHECKS" \
    -DSTELE_HARDEN=OFF -DSTELE_WITH_IMPORT=OFF
cmake --build "$WORK/stele" -j "$(nproc)" --target stele_inside
for driver in format image; do
    # shellcheck disable=SC2086
    $CC $CFLAGS -I"$SRC/stele/include" -I"$SRC/stele/src" -c "$SRC/stele/fuzz/fuzz_$driver.c" -o "$WORK/fuzz_$driver.o"
    # shellcheck disable=SC2086
    ${CXX:-$CC} ${CXXFLAGS:-$CFLAGS} "$WORK/fuzz_$driver.o" "$WORK/stele/libstele_inside.a" $LIB_FUZZING_ENGINE \
        -Wl,-Bstatic -lwebpmux -lwebp -lpng -ljpeg -lz -llz4 -Wl,-Bdynamic -lm -o "$OUT/fuzz_$driver"
done
cd "$SRC/stele"
zip -qr "$OUT/fuzz_format_seed_corpus.zip" samples/dialects samples/gaps fuzz/seeds tests/crashers
zip -qr "$OUT/fuzz_image_seed_corpus.zip" fuzz/images
cp fuzz/gltf.dict "$OUT/fuzz_format.dict"
