#!/bin/sh
# Installs each built distribution into an empty environment and runs the main job with it.
set -eu
for built in "$1"/*.whl "$1"/*.tar.gz; do
    place=$(mktemp -d)
    "${PYTHON:-python3}" -m venv "$place/venv"
    "$place/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$built"
    (cd "$place" && ./venv/bin/consilience --version && ./venv/bin/consilience demo --out run >/dev/null && ./venv/bin/consilience verify run)
    echo "$(basename "$built"): installed, ran, came out the same again"
    rm -rf "$place"
done
