#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints nvcc's arguments for the compute capabilities to compile for, one per line.
#
#     architectures.sh NVCC [CAPABILITY...|native]
#
# Without a capability, these are the first ones from 7.5 on of each major version that nvcc knows: their
# code also runs on all later ones of the same major version, such as that for 8.0 on 8.6 and 8.9. Drivers
# compile the newest one's PTX for newer GPUs. `native` means the GPUs of this machine, with PTX only for those that nvcc does not
# know. Exits with 1 and a message on failure, and with 2 if no GPU here is new enough.
set -eu

nvcc=$1
shift

fail() {
  printf '%s\n' "$2" >&2
  exit "$1"
}

# nvcc's front end, which takes most of the time, runs once for each of these groups. With nvcc 13.0 the
# machine code is the same, byte for byte, as when it runs for each capability, since the sources do not
# tell the members of a group apart: __CUDA_ARCH__ is that of the first one.
groups='80,86,87,88,89 100,110 120,121'

# contains LIST WORD
contains() {
  case " $1 " in *" $2 "*) return 0 ;; esac
  return 1
}

# The first wanted capability in the group of this one.
virtual_of() {
  for group in $groups; do
    group=$(echo "$group" | tr ',' ' ')
    contains "$group" "$1" || continue
    for member in $group; do
      if contains "$wanted" "$member"; then
        echo "$member"
        return
      fi
    done
  done
  echo "$1"
}

# The numbers from 75 on in standard input, in order, on one line.
from_75() {
  awk '$1 + 0 >= 75' | sort -n -u | xargs
}

# The first capability of each major version.
first_of_majors() {
  printf '%s\n' "$@" | awk '!seen[int($1 / 10)]++' | xargs
}

known=$("$nvcc" --list-gpu-arch | sed -n 's/^compute_//p' | from_75)
ptx=
case $* in
  '') wanted=$(first_of_majors $known) ;;
  native)
    gpus=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' |
      grep -E '^[0-9]+$') || fail 1 \
      'native needs a GPU, and nvidia-smi lists none; give compute capabilities, e.g. 75,90, or none for all'
    gpus=$(echo "$gpus" | from_75)
    [ -n "$gpus" ] || fail 2 'native: no GPU here has compute capability 7.5 or newer'
    wanted=
    for gpu in $gpus; do
      if contains "$known" "$gpu"; then
        wanted="$wanted $gpu"
      else
        for capability in $known; do
          [ "$capability" -gt "$gpu" ] || ptx=$capability
        done
      fi
    done
    ;;
  *) wanted=$* ;;
esac

for capability in $wanted; do
  # nvcc checks the letters after the number.
  contains "$known" "${capability%[af]}" ||
    fail 1 "$capability is not a compute capability that nvcc knows: $known"
  echo "-gencode=arch=compute_$(virtual_of "$capability"),code=sm_$capability"
done
if [ "$*" != native ]; then
  # shellcheck disable=SC2086
  ptx=$(virtual_of "$(printf '%s\n' $wanted | sort -n | tail -n 1)")
fi
[ -z "$ptx" ] || echo "-gencode=arch=compute_$ptx,code=compute_$ptx"
