# Everything that a node plays with: a driver, a worker, a machine by itself.
#   docker build -t evo-tournaments .
#   docker run --rm -v "$PWD/runs:/data/runs" evo-tournaments run --out runs/first --or-resume
FROM python:3.11-slim

# KubeRay asks a node by wget how it is.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends wget \
 && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1000 evo

WORKDIR /opt/evo-tournaments
COPY pyproject.toml README.md LICENSE ./
COPY cluster cluster
COPY evo evo
COPY results results
COPY tournaments tournaments
# Versions are those of pyproject.toml. "cluster" is Ray with the job server, "storage" is s3:// and the like.
RUN pip install --no-cache-dir '.[cluster,storage]'

# What is mounted at runs must be writable for user 1000.
RUN mkdir --parents /data/runs && chown --recursive evo /data
USER evo
WORKDIR /data
ENTRYPOINT ["evo"]
