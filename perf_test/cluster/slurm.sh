#!/bin/bash -l
#SBATCH --job-name=kokkoskv_perf
#SBATCH --exclusive
#SBATCH --no-requeue
# One process of the benchmarks for each device of a SLURM job. `submit slurm` sets the
# variables that are read here and puts the directives in front; without it:
#   KOKKOSKV_BUILD=DIR KOKKOSKV_OUTPUT=DIR KOKKOSKV_DEVICES=4 \
#     sbatch --account=A --nodes=2 --gpus-per-node=4 --time=00:30:00 perf_test/cluster/slurm.sh

set -euo pipefail

# The script runs as a copy elsewhere; without `submit` it was sent from the source tree.
KOKKOSKV_CLUSTER=${KOKKOSKV_CLUSTER:-${SLURM_SUBMIT_DIR:?is not set: not a job of SLURM}/perf_test/cluster}
# shellcheck source-path=SCRIPTDIR source=job.sh
. "$KOKKOSKV_CLUSTER/job.sh"

begin_job "$SLURM_JOB_NUM_NODES"
cores=$((SLURM_CPUS_ON_NODE / processes_per_node))
srun --ntasks="$processes" --ntasks-per-node="$processes_per_node" --cpus-per-task=$((cores > 0 ? cores : 1)) \
  --cpu-bind=cores --kill-on-bad-exit=0 "${process_command[@]}" || true
end_job
