#!/bin/bash
# One run on several nodes by Ray, 2.49 or later:
#   sbatch docs/cluster/slurm-ray.sh study.toml --out /shared/runs/x
# The same command again goes on.
#SBATCH --job-name=evo-run
#SBATCH --nodes=4
#SBATCH --exclusive              # `ray symmetric-run` ends every Ray of yours on its nodes
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=24:00:00
#SBATCH --requeue                # after a lost node the job begins again, and the run goes on
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.log
set -euo pipefail

nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
address=$(srun --nodes=1 --ntasks=1 --nodelist="${nodes%%$'\n'*}" hostname --ip-address)

export RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT=300 # seconds for all nodes to start Ray
srun --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" \
  ray symmetric-run \
  --address "${address%% *}:6379" \
  --min-nodes "$SLURM_JOB_NUM_NODES" \
  --num-cpus "$SLURM_CPUS_PER_TASK" \
  -- evo run "$@" --ray auto --or-resume
