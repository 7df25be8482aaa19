#!/usr/bin/env bash
# Write the three requirement locks again. Each holds names, versions and hashes; no index address.
#   requirements.lock         everything: extras, development tools, the build backend
#   requirements-run.lock     what a run needs: the package, a Java runtime as a wheel, the resolver library, a reader of PKCS12 stores, the build backend
#   requirements-report.lock  the same and what the report needs
set -euo pipefail
cd "$(dirname "$0")/.."
# The build backend stands in the locks so that installing the project itself needs nothing that isn't pinned.
build=$'hatchling>=1.27\neditables>=0.5\njgo>=3.2\n'
compile() {
  local out=$1
  shift
  printf '%s' "$build" | uv pip compile pyproject.toml - "$@" --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-annotate --no-header --quiet -o "$out" >/dev/null
  if grep -n '://' "$out"; then
    echo "expected no addresses in $out, found those above" >&2
    exit 1
  fi
}
compile requirements-run.lock --extra java --extra stores
compile requirements-report.lock --extra java --extra report --extra stores
compile requirements.lock --all-extras --group dev
