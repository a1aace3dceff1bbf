#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes binary PPM files of the photographs in Debian's package python3-skimage, for fetch and
# tiles. The package is downloaded and unpacked in the current folder, not installed.

data=package/usr/lib/python3/dist-packages/skimage/data

fail() {
  echo "${0##*/}: $1" >&2
  exit 1
}

need() {
  command -v "$1" >/dev/null || fail "$1 is missing (Debian package $2)"
}

download() {
  rm -rf package ./*.deb
  need apt-get apt
  need dpkg-deb dpkg
  apt-get -q -o APT::Sandbox::User=root download python3-skimage >download.log 2>&1 || {
    cat download.log >&2
    fail "can't download python3-skimage: check the network, and run apt-get update"
  }
  dpkg-deb -x python3-skimage_*.deb package || fail "python3-skimage can't be unpacked"
}

# check SUMS: checks every picture against its checksum in the list.
check() {
  (cd "$data" && sha256sum --quiet -c "$1") >&2
}

# convert NAME: converts a picture to a PPM file of the same name.
convert() {
  decoder=pngdec
  [ "${1##*.}" = png ] || decoder=jpegdec
  if ! gst-launch-1.0 -q filesrc location="$data/$1" ! "$decoder" ! videoconvert ! \
    video/x-raw,format=RGB ! pnmenc ! filesink location="${1%.*}.ppm" >convert.log 2>&1 ||
    [ ! -s "${1%.*}.ppm" ]; then
    cat convert.log >&2
    fail "$1 can't be converted ($decoder and pnmenc are in gstreamer1.0-plugins-good and -bad)"
  fi
}

# convert_all SUMS: replaces all PPM files of the current folder with the pictures of the list.
convert_all() {
  rm -f ./*.ppm
  if [ ! -d "$data" ] || ! check "$1" 2>/dev/null; then download; fi
  check "$1" || fail "a picture differs from the one that ${1##*/} lists"
  need gst-launch-1.0 gstreamer1.0-tools
  while read -r _ name; do
    convert "$name"
  done <"$1"
  rm -f ./*.deb download.log convert.log
}
