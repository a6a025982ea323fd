#!/bin/bash
# The runs of a sweep, dealt to the tasks of a job array, without Ray:
#   sbatch docs/cluster/slurm-array.sh sweep.toml sweeps/x
# The same command again goes on, also with another number of tasks.
#SBATCH --job-name=evo-sweep
#SBATCH --array=1-40
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=2G
#SBATCH --time=12:00:00
#SBATCH --requeue                # a task whose node was lost or taken begins again, and goes on
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@120      # before the time is over
#SBATCH --output=%x-%A-%a.log
set -euo pipefail

experiment=${1:?the experiment, as TOML}
folder=${2:?the folder of the runs, which all nodes see, or an address}

trap 'kill -TERM "$!"' TERM # before there is anything to stop: it may come at once
# In the background: bash acts on a signal once the command in the foreground has ended.
evo sweep "$experiment" --out "$folder" --slice auto --threads "${SLURM_CPUS_PER_TASK:-1}" &
sweep=$!
status=0
wait "$sweep" || status=$?
while kill -0 "$sweep" 2>/dev/null; do # the signal has ended the wait, the sweep ends in a moment
  status=0
  wait "$sweep" || status=$?
done

# 143: asked to end. The task goes on in another turn of the queue.
if [ "$status" -eq 143 ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
