# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A private Slurm cluster on one machine, kept in one folder. Source this file, then:
#   trap 'stop_cluster "$folder"' EXIT; start_cluster "$folder" [FAKE_GPUS_PER_NODE]
# Nodes node1 and node2, of CLUSTER_CPUS and 1000 MB each, make up partition "main".
# start_cluster exports SLURM_CONF, so that sbatch, squeue, scontrol ... talk to this cluster.
CLUSTER_WAIT=20 # the longest wait for a daemon to start or to end, in seconds
CLUSTER_CPUS=1 # of a node
CLUSTER_SETTINGS='' # more lines of slurm.conf
CLUSTER_DEVICES=() # files of GPUs, which node1 has, in 16 shards each
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# Prints an error, then the last lines of a log file, and fails.
cluster_error() {
  echo "cluster: $1" >&2
  [[ ! -s ${2:-} ]] || { echo "--- last lines of $2" && tail -n 20 -- "$2"; } >&2
  return 1
}

# wait_until SECONDS WHAT LOG COMMAND...: until it succeeds, time is up, or LOG has a fatal error.
wait_until() {
  local limit=$1 what=$2 log=$3 start=$SECONDS
  shift 3
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS - start > limit)) || grep -qs ' fatal: ' "$log"; then
      cluster_error "waited $((SECONDS - start)) s in vain for $what" "$log" || return 1
    fi
    sleep 0.1
  done
}

# Prints the first of three neighbouring ports, below the ephemeral ones, where nothing listens.
find_ports() {
  local first port try
  for try in {1..100}; do
    first=$((20000 + RANDOM % 4000 * 3))
    for port in $first $((first + 1)) $((first + 2)); do
      ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || continue 2
    done
    echo "$first" && return 0
  done
  cluster_error "found no free ports in $try tries"
}

# Prints the folder's name. If that is too long for the Unix sockets below it, which have up to 107 bytes, or
# has characters that slurm.conf does not take, prints a link in /tmp to it, which stop_cluster removes.
short_name() {
  local link
  [[ ! $1 =~ ^[A-Za-z0-9/._-]{1,55}$ ]] || { echo "$1" && return 0; }
  link=$(mktemp -d /tmp/slurm.XXXXXX) && ln -s "$1" "$link/f" && echo "$link/f"
}

# write_config FOLDER BASE GPUS: writes slurm.conf (sed: one setting a line) and its companions.
# slurmctld listens at the address of the host's name, which is 127.0.1.1 on Debian.
write_config() {
  local etc=$1/etc base=$2 gpus=$3 port user host cgroup gres=('' '') shards i
  port=$(find_ports) && user=$(id -un) && host=$(uname -n) || return 1
  echo '# none' | tee "$etc/plugstack.conf" "$etc/gres.conf" >/dev/null
  # 22.05 cannot disable cgroups, but its cgroup/v1 does nothing until asked.
  [[ $(slurmd -V) != *' 22.'* ]] || cgroup=cgroup/v1
  echo "CgroupPlugin=${cgroup:-disabled}" >"$etc/cgroup.conf"
  if ((gpus > 0)); then
    gres=("Gres=gpu:$gpus" "Gres=gpu:$gpus")
    for ((i = 0; i < gpus; i++)); do ln -sfn /dev/null "$etc/fakegpu$i"; done
    echo "Name=gpu File=$base/etc/fakegpu[0-$((gpus - 1))] Flags=nvidia_gpu_env" >"$etc/gres.conf"
  fi
  if ((${#CLUSTER_DEVICES[@]} > 0)); then
    shards=$((16 * ${#CLUSTER_DEVICES[@]}))
    gres=("Gres=gpu:${#CLUSTER_DEVICES[@]},shard:$shards" '')
    printf 'NodeName=node1 Name=gpu File=%s Flags=nvidia_gpu_env\n' "${CLUSTER_DEVICES[@]}" >"$etc/gres.conf"
    echo "NodeName=node1 Name=shard Count=$shards" >>"$etc/gres.conf"
  fi
  sed -E '/^(Node|Partition|#)/! s/ /\n/g' >"$etc/slurm.conf" <<CONF
ClusterName=$(<"$1/name")
SlurmctldHost=${host%%.*}
SlurmctldPort=$port CommunicationParameters=NoCtldInAddrAny
SlurmUser=$user SlurmdUser=$user
AuthInfo=socket=$base/run/munge.socket,cred_expire=5
PlugStackConfig=$base/etc/plugstack.conf
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/spool/%n
SlurmctldPidFile=$base/run/slurmctld.pid SlurmdPidFile=$base/run/%n.pid
SlurmctldLogFile=$base/log/slurmctld.log SlurmdLogFile=$base/log/%n.log
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres SelectTypeParameters=CR_Core_Memory DefMemPerCPU=$((CLUSTER_CPUS > 10 ? 1000 / CLUSTER_CPUS : 100))
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
SlurmdParameters=config_overrides GresTypes=gpu${shards:+,shard}
ReturnToService=2 JobRequeue=1 SlurmdTimeout=10 KillWait=2 MinJobAge=60
NodeName=node1 NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$CLUSTER_CPUS RealMemory=1000 ${gres[0]}
NodeName=node2 NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=$CLUSTER_CPUS RealMemory=1000 ${gres[1]}
PartitionName=main Nodes=node[1-2] Default=YES MaxTime=INFINITE State=UP
$CLUSTER_SETTINGS
CONF
}

# run_daemon FOLDER NAME COMMAND...: starts a daemon that puts itself in the background.
run_daemon() {
  SLURM_CLUSTER_NAME=$(<"$1/name") "${@:3}" </dev/null >>"$1/log/$2.out" 2>&1 3>&- 4>&- 5>&- ||
    cluster_error "$2 did not start" "$1/log/$2.out"
}

# Starts munged with a key of its own. (--force: the folder need not be open to other users.)
start_munged() {
  run_daemon "$1" munged munged --force --num-threads=2 --key-file="$2/etc/munge.key" \
    --socket="$2/run/munge.socket" --pid-file="$2/run/munged.pid" \
    --log-file="$2/log/munged.log" --seed-file="$2/run/munged.seed" &&
    wait_until "$CLUSTER_WAIT" munged "$1/log/munged.log" munge -n -S "$2/run/munge.socket"
}

# Starts slurmctld and waits until it answers.
start_controller() {
  run_daemon "$1" slurmctld slurmctld &&
    wait_until "$CLUSTER_WAIT" slurmctld "$1/log/slurmctld.log" timeout 2 scontrol ping
}

# start_node FOLDER NODE: starts the slurmd of a node, for the first time or again.
start_node() { run_daemon "$1" "$2" slurmd -N "$2"; }
# Succeeds if the process is gone, or a zombie.
process_ended() { ! grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status"; }

# stop_daemon FOLDER NAME [SIGNAL]: ends munged, slurmctld, node1 or node2, and waits for its end.
stop_daemon() {
  local pid
  pid=$(cat "$1/run/$2.pid" 2>/dev/null) && kill -s "${3:-TERM}" "$pid" 2>/dev/null || return 0
  wait_until "$CLUSTER_WAIT" "the end of $2" '' process_ended "$pid"
}

# kill_node FOLDER NODE: kills the slurmd of a node, its slurmstepds and the processes of its jobs, as if the
# machine had gone.
kill_node() {
  local pid parent steps='' jobs=''
  stop_daemon "$1" "$2" KILL || return 1
  for pid in $(cluster_pids "$1"); do
    grep -qszxF "SLURMD_NODENAME=$2" "/proc/$pid/environ" || continue
    jobs+=" $pid"
    parent=$(awk '$1 == "PPid:" { print $2 }' "/proc/$pid/status") || continue
    [[ $(cat "/proc/$parent/comm" 2>/dev/null) != slurmstepd ]] || steps+=" $parent"
  done
  # Steps first, so that they don't report how their jobs ended.
  [[ -n $jobs ]] && xargs kill -KILL <<<"$steps $jobs"
}

# Ends slurmctld and starts it again; running and pending jobs stay.
restart_controller() { stop_daemon "$1" slurmctld && start_controller "$1"; }

# all_match PATTERN COMMAND...: succeeds if the command prints something, and each line matches.
all_match() {
  local lines
  lines=$("${@:2}") && [[ -n $lines ]] && ! grep -qvxE "$1" <<<"$lines"
}

# wait_for_nodes FOLDER [STATES [NODES [SECONDS]]], e.g. wait_for_nodes "$f" 'down\*?' node1 60
wait_for_nodes() {
  wait_until "${4:-$CLUSTER_WAIT}" "${3:-node1,node2} to be ${2:-idle}" "$1/log/slurmctld.log" \
    all_match "${2:-idle}" sinfo -hN -n "${3:-node1,node2}" -o %T
}

# Prints the pids of this cluster's daemons, slurmstepds and job processes: those with its name in
# their environment, those of Slurm with a log open in the folder, and all descendants of these.
cluster_pids() {
  local name pid
  name=$(cat "$1/name" 2>/dev/null) || return 0
  {
    grep -lszxF "SLURM_CLUSTER_NAME=$name" /proc/[0-9]*/environ || true
    for pid in $(grep -lsE '^(slurm|munge)' /proc/[0-9]*/comm || true); do
      find "${pid%comm}fd" -lname "$(realpath "$1")/log/*" 2>/dev/null || true
    done
    grep -sE '^PPid:' /proc/[0-9]*/status || true
  } | awk -F '[/:\t ]+' '
    $5 == "PPid" { parent[$3] = $6; next }
    { found[$3] = 1 }
    END {
      for (more = 1; more--;) for (p in parent)
        if (!(p in found) && parent[p] in found) more = found[p] = 1
      for (p in found) print p
    }' | while read -r pid; do process_ended "$pid" || echo "$pid"; done
}

# Kills what cluster_pids finds; succeeds if that was nothing.
kill_cluster_pids() {
  local pids
  pids=$(cluster_pids "$1") && [[ -n $pids ]] || return 0
  xargs kill -KILL <<<"$pids" || true
  return 1
}

# Ends all processes of the cluster, jobs included. The folder, with its logs, stays.
stop_cluster() {
  [[ -s $1/name ]] || return 0
  wait_until "$CLUSTER_WAIT" "the end of all processes" '' kill_cluster_pids "$1" || return 1
  local base
  base=$(<"$1/base")
  [[ $base != /tmp/slurm.??????/f ]] || rm -rf -- "${base%/f}"
  rm -f -- "$1/name" "$1/base" "$1"/run/*
}

# start_cluster FOLDER [FAKE_GPUS_PER_NODE]: after an error, call stop_cluster all the same.
# (It tries again with other ports if another process took one of them meanwhile.)
start_cluster() {
  local folder base try
  mkdir -p "$1" && folder=$(realpath "$1") || return 1
  [[ ! -s $folder/name ]] || cluster_error "$folder already holds a cluster" || return 1
  unset "${!SLURM_@}" "${!SBATCH_@}" "${!SRUN_@}" "${!SALLOC_@}" "${!SQUEUE_@}" "${!SINFO_@}"
  (umask 077 && cd "$folder" && { [[ ! -e etc/slurm.conf ]] || rm -rf etc run state log spool; } &&
    mkdir -p etc run state log spool/node{1,2} && head -c 128 /dev/urandom >etc/munge.key) || return 1
  base=$(short_name "$folder") && echo "$base" >"$folder/base" || return 1
  echo "test$$x$RANDOM" >"$folder/name"
  export SLURM_CONF=$base/etc/slurm.conf
  for try in 1 2 3; do
    write_config "$folder" "$base" "${2:-0}" && start_munged "$folder" "$base" &&
      start_controller "$folder" && start_node "$folder" node1 && start_node "$folder" node2 &&
      wait_for_nodes "$folder" && return 0
    ((try < 3)) && grep -qsi 'already in use' "$folder"/log/*.log || return 1
    wait_until "$CLUSTER_WAIT" "the end of try $try" '' kill_cluster_pids "$folder" || return 1
    rm -f "$folder"/log/* "$folder"/run/*
  done
}
