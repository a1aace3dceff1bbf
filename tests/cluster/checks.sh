# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of archives share: sets $root, $work, $videos, $out and $slurm, and counts checks. Source
# this file with the arguments of the test: [--installed] BUILD_DIR. Unless needs_slurm=no, installs slurm-wlm and
# munge if they are missing; with --installed, skips the test instead.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/checks.sh
. "$root/tests/checks.sh"
has_slurm() { PATH=$PATH:/usr/sbin:/sbin command -v slurmctld slurmd munged sbatch >/dev/null; }

may_install=yes
if [ "${1:-}" = --installed ]; then
  may_install=no
  shift
fi
[ $# -eq 1 ] || { printf 'usage: %s [--installed] BUILD_DIR\n' "$0" >&2 && exit 2; }
if [ "${needs_slurm:-yes}" = yes ] && ! has_slurm; then
  [ "$may_install" = yes ] || skip 'cluster, which needs slurm-wlm and munge'
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge
fi
/usr/bin/python3 -c 'import gi, numpy; from gi.repository import GstApp' 2>/dev/null ||
  skip 'cluster, which needs python3-gi, python3-numpy and gir1.2-gst-plugins-base-1.0'
gst-inspect-1.0 --exists avenc_ffv1 || skip 'cluster, which needs gstreamer1.0-libav'

# shellcheck source=tests/cluster/slurm.sh
. "$root/tests/cluster/slurm.sh"
plugins=$(realpath -- "$1/gst")
export GST_PLUGIN_PATH=$plugins GST_REGISTRY=$work/registry.bin PYTHONDONTWRITEBYTECODE=1
# shellcheck disable=SC2034 # used by the tests
videos=$work/videos out=$work/out
slurm=$work/slurm
trap 'stop_cluster "$slurm"; rm -rf "$work"' EXIT

# exits STATUS PATTERN COMMAND...: whether it ends with this status and prints a match.
exits() {
  local expected=$1 pattern=$2 status=0 text
  shift 2
  text=$("$@" 2>&1) || status=$?
  printf 'status %d: %s\n' "$status" "$text"
  [ "$status" -eq "$expected" ] && grep -qE -- "$pattern" <<<"$text"
}

# The name of an archive's jobs.
name_of() { squeue -h -a -o '%j %k' | awk -v folder="$1/" 'index($2, folder) == 1 { print $1; exit }'; }
nothing_is_left() { [ -z "$(squeue -h)" ]; }
sum_of() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print(d['frames_sha256'], d['frames'])" "$1"; }

field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get(sys.argv[2]))' "$@"; }
logs() { cat "$1"/.archive/logs/*_*.log; }
says() { grep -qE -- "$2" < <(logs "$1"); }
# The processes of tasks of an archive's first submission.
program_of() { pgrep -f "cluster/detect $1/.*/000001.json"; }
works() { says "$1" "^$2: try" && program_of "$1" >/dev/null; }
works_alone() { works "$@" && [ "$(program_of "$1" | wc -l)" = 1 ]; }

# make NAME FRAMES FORMAT LAUNCH_LINE...: a video of a moving ball.
make() {
  gst-launch-1.0 -q videotestsrc pattern=ball num-buffers="$2" ! "video/x-raw,format=I420,$3" ! "${@:4}" \
    ! filesink location="$1" 2>/dev/null
}

# make_sizes NAME: a video whose frames change their size, which can't be made.
make_sizes() {
  local i
  mkdir -p "$work/jpeg"
  for i in 0 40; do
    gst-launch-1.0 -q videotestsrc num-buffers=$((40 - i / 2)) ! video/x-raw,width=$((96 - i)),height=64 \
      ! jpegenc ! multifilesink index=$i location="$work/jpeg/%02d.jpg" 2>/dev/null
  done
  gst-launch-1.0 -q multifilesrc location="$work/jpeg/%02d.jpg" \
    caps=image/jpeg,width=96,height=64,framerate=30/1 ! avimux ! filesink location="$1" 2>/dev/null
}

same() { [ "$(cut -d' ' -f1,2 <<<"$1")" = "$(cut -d' ' -f1,2 <<<"$2")" ]; }
# compare FOLDER SOURCE...: the edges and the files of videos, which are *$extension.
extension=.mkv
compare() {
  local i names=("${@:2}") detected decoded
  names=("${names[@]##*/}")
  mapfile -t detected < <("$root/tests/cluster/expected.py" detect "${@:2}")
  mapfile -t decoded < <(cd "$1" && "$root/tests/cluster/expected.py" decode "${names[@]/%/"$extension"}")
  for i in "${!names[@]}"; do
    check "the edges of ${names[i]}" same "${detected[i]}" "$(sum_of "$1/${names[i]}.json")"
    check "the file of ${names[i]}" same "${detected[i]}" "${decoded[i]}"
  done
}

begin_cluster() {
  start_cluster "$slurm" "$@" || { printf 'FAILED: no cluster\n0 passed, 1 failed, 0 skipped\n' && exit 1; }
}

# Ends the cluster, prints the numbers and returns whether all checks passed.
finish() {
  stop_cluster "$slurm"
  printf 'cluster: %d lines of tasks\n' "$(find "$work" -path '*/.archive/logs/*_*.log' -exec cat {} + | wc -l)"
  print_numbers
}
