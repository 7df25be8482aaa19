#!/usr/bin/env bash
# What the GitHub action does (action.yml): one run, by the inputs in INPUT_*; its outputs go to GITHUB_OUTPUT.
# FENCEPOST_COMMAND names another command than ./fencepost, which sets itself up first.
set -euo pipefail
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
command=${FENCEPOST_COMMAND:-$home/fencepost}
out=${INPUT_OUT:-fencepost-runs}
mkdir -p "$out"
sarif=$out/fencepost.sarif
badge=$out/badge.json
folder_file=$(mktemp)
trap 'rm -f "$folder_file"' EXIT

words=(run --subject "${INPUT_SUBJECT:-fetch}" --scenarios "${INPUT_SCENARIOS:-300}" --seed "${INPUT_SEED:-1}")
words+=(--no-corpus --no-report --out "$out" --sarif "$sarif" --badge "$badge")
if [ -n "${INPUT_BOOTSTRAP_SERVER:-}" ]; then words+=(--bootstrap-server "$INPUT_BOOTSTRAP_SERVER"); fi
case ${INPUT_STRICT:-false} in
  true) words+=(--strict) ;;
  false) ;;
  *)
    echo "expected strict to be true or false, found $INPUT_STRICT" >&2
    exit 2
    ;;
esac
more=()
if [ -n "${INPUT_OPTIONS:-}" ]; then read -r -a more <<<"$INPUT_OPTIONS"; fi

code=0
FENCEPOST_RUN_FOLDER_FILE=$folder_file "$command" "${words[@]}" ${more[@]+"${more[@]}"} || code=$?
{
  echo "exit-code=$code"
  echo "folder=$(cat "$folder_file")"
  echo "sarif=$sarif"
  echo "badge=$badge"
} >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
