#!/usr/bin/env bash
# Annotations on stdout, a table in the step's summary, SARIF if asked for; exits as `check` does.
set -uo pipefail

options=()
[ -z "${TARGETS:-}" ] || options+=(--target "$TARGETS")
[ -z "${SELECT:-}" ] || options+=(--select "$SELECT")
[ -z "${FAIL_ON:-}" ] || options+=(--fail-on "$FAIL_ON")
read -r -d '' -a paths <<<"${PATHS:?name the files to check}" || true

toolcanon check "${options[@]}" --output-format github "${paths[@]}"
status=$?
if [ "$status" -le 1 ]; then
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    toolcanon check "${options[@]}" --output-format markdown "${paths[@]}" >>"$GITHUB_STEP_SUMMARY" || true
  fi
  if [ -n "${SARIF:-}" ]; then
    toolcanon check "${options[@]}" --output-format sarif -o "$SARIF" "${paths[@]}" || true
  fi
fi
[ -z "${GITHUB_OUTPUT:-}" ] || echo "status=$status" >>"$GITHUB_OUTPUT"
exit "$status"
