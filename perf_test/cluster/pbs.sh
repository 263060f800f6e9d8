#!/bin/bash -l
#PBS -N kokkoskv_perf
#PBS -l place=scatter:excl
#PBS -j oe
#PBS -r n
# One process of the benchmarks for each device of a PBS job. `submit pbs` sets the
# variables that are read here and puts the directives in front; without it:
#   qsub -A A -q Q -l select=2 -l walltime=00:30:00 \
#     -v KOKKOSKV_BUILD=DIR,KOKKOSKV_OUTPUT=DIR,KOKKOSKV_DEVICES=12 perf_test/cluster/pbs.sh
# KOKKOSKV_MPIEXEC is the launcher with its options, where mpiexec is not the right one or
# its options are not found out: "launcher --processes-per-node 12". The number of
# processes is added as -n.

set -euo pipefail

# The script runs as a copy elsewhere; without `submit` it was sent from the source tree.
KOKKOSKV_CLUSTER=${KOKKOSKV_CLUSTER:-${PBS_O_WORKDIR:?is not set: not a job of PBS}/perf_test/cluster}
# shellcheck source-path=SCRIPTDIR source=job.sh
. "$KOKKOSKV_CLUSTER/job.sh"

# Sets `launcher`: so many processes on each node, bound to nothing.
choose_launcher() {
  local text
  if [[ -n ${KOKKOSKV_MPIEXEC:-} ]]; then
    read -r -a launcher <<< "$KOKKOSKV_MPIEXEC"
    return
  fi
  text=$(mpiexec --version 2>&1; mpiexec --help 2>&1) || true
  if [[ $text == *'Open MPI'* || $text == *OpenRTE* || $text == *PRRTE* ]]; then
    launcher=(mpiexec --map-by "ppr:$processes_per_node:node" --bind-to none -x PATH -x LD_LIBRARY_PATH)
  else
    launcher=(mpiexec --ppn "$processes_per_node")
    # That of PALS binds each process to one core otherwise.
    [[ $text != *--cpu-bind* ]] || launcher+=(--cpu-bind none)
  fi
}

nodes=$(sort -u -- "$PBS_NODEFILE" | grep -c .) || nodes=0
begin_job "$nodes"
choose_launcher
"${launcher[@]}" -n "$processes" "${process_command[@]}" || true
end_job
