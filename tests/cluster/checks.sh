# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of archives share: sets $root, $work, $videos, $out and $slurm, and counts checks. Source
# this file with the arguments of the test: [--installed] BUILD_DIR. Installs slurm-wlm and munge if they are
# missing; with --installed, skips the test instead.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
skip() {
  printf 'SKIPPED: cluster, which needs %s\n0 passed, 0 failed, 1 skipped\n' "$1"
  exit 77
}
has_slurm() { PATH=$PATH:/usr/sbin:/sbin command -v slurmctld slurmd munged sbatch >/dev/null; }

may_install=yes
if [ "${1:-}" = --installed ]; then
  may_install=no
  shift
fi
[ $# -eq 1 ] || { printf 'usage: %s [--installed] BUILD_DIR\n' "$0" >&2 && exit 2; }
if ! has_slurm && [ "$may_install" = yes ]; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge
fi
has_slurm || skip 'slurm-wlm and munge'
/usr/bin/python3 -c 'import gi, numpy; from gi.repository import GstApp' 2>/dev/null ||
  skip 'python3-gi, python3-numpy and gir1.2-gst-plugins-base-1.0'
gst-inspect-1.0 --exists avenc_ffv1 || skip gstreamer1.0-libav

# shellcheck source=tests/cluster/slurm.sh
. "$root/tests/cluster/slurm.sh"
work=$(mktemp -d)
plugins=$(realpath -- "$1/gst")
export GST_PLUGIN_PATH=$plugins GST_REGISTRY=$work/registry.bin PYTHONDONTWRITEBYTECODE=1
# shellcheck disable=SC2034 # used by the tests
videos=$work/videos
out=$work/out
slurm=$work/slurm
trap 'stop_cluster "$slurm"; rm -rf "$work"' EXIT
passed=0
failed=0

# check WHAT COMMAND...: counts a test, which passes if the command succeeds.
check() {
  local what=$1
  shift
  if "$@" >"$work/check.log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$what"
    tail -n 20 "$work/check.log"
  fi
}

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

begin_cluster() {
  start_cluster "$slurm" "$@" || { printf 'FAILED: no cluster\n0 passed, 1 failed, 0 skipped\n' && exit 1; }
}

# Ends the cluster, prints the numbers and returns whether all checks passed.
finish() {
  stop_cluster "$slurm"
  printf 'cluster: %d tasks of Slurm\n' "$(cat "$out"/.archive/logs/*_*.log | wc -l)"
  printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}
