#!/bin/bash
# From the root of a checkout: docs/cluster/job-submit.sh ARGUMENTS OF EVO...
# RAY_API_SERVER_ADDRESS is the dashboard of a cluster whose nodes have Ray and what the project
# depends on; the project itself is sent.
set -euo pipefail

ray job submit \
  --address "${RAY_API_SERVER_ADDRESS:-http://127.0.0.1:8265}" \
  --runtime-env docs/cluster/runtime-env.yaml \
  -- python -m evo "$@"
