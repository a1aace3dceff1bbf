#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the fuzz targets in the image of OSS-Fuzz, which sets all variables, and for tests/fuzz/run: each
# program in $OUT, with its corpus, and with the libraries that only the image of the builds has in $OUT/lib.
set -euo pipefail

cd "$SRC/cudacanny"
# Without contraction, doubles are rounded as in other builds. As options, since Meson reads variables only once.
setup=(meson setup "$WORK/build" --buildtype=plain -Ddefault_library=static -Dcuda=disabled -Doctave=disabled
  -Dopencl=disabled -Dpython=disabled -Dtuner=disabled "-Dcpp_args=$CXXFLAGS -ffp-contract=off"
  "-Dcpp_link_args=$CXXFLAGS" "-Dfuzzing=$LIB_FUZZING_ENGINE")
[ ! -f "$WORK/build/build.ninja" ] || setup+=(--reconfigure)
"${setup[@]}" >/dev/null
ninja -C "$WORK/build" tests/fuzz/fuzz_{library,element}

mkdir -p "$OUT/lib"
for name in library element; do
  target=$OUT/fuzz_$name
  cp "$WORK/build/tests/fuzz/fuzz_$name" "$OUT"
  ldd "$target" | awk '$3 ~ "^/" && $1 !~ /^lib(c|dl|m|mvec|pthread|resolv|rt)\.so/ { print $3 }' |
    xargs -r cp --target-directory="$OUT/lib" --update
  # Also for the libraries that these libraries need.
  patchelf --force-rpath --set-rpath "\$ORIGIN/lib" "$target"
  python3 -m zipfile --create "${target}_seed_corpus.zip" "tests/fuzz/corpus/$name"/*
done
