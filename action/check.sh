#!/usr/bin/env bash
# Annotations on stdout, tables in the step's summary, SARIF if asked for; exits as the commands do.
set -uo pipefail

# Run a command three times: report to the log, to the summary, and to a SARIF file.
report() {
  local sarif=$1 status
  shift
  "$@" --output-format github
  status=$?
  if [ "$status" -le 1 ]; then
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
      "$@" --output-format markdown >>"$GITHUB_STEP_SUMMARY" || true
    fi
    if [ -n "$sarif" ]; then
      "$@" --output-format sarif -o "$sarif" || true
    fi
  fi
  return "$status"
}

if [ -z "${PATHS:-}" ] && [ -z "${LOCK:-}" ]; then
  echo "name the files to check in paths, or a lockfile in lock" >&2
  exit 1
fi

status=0
if [ -n "${PATHS:-}" ]; then
  options=()
  [ -z "${TARGETS:-}" ] || options+=(--to "$TARGETS")
  [ -z "${SELECT:-}" ] || options+=(--select "$SELECT")
  [ -z "${FAIL_ON:-}" ] || options+=(--fail-on "$FAIL_ON")
  read -r -d '' -a paths <<<"$PATHS" || true
  report "${SARIF:-}" toolcanon check "${options[@]}" "${paths[@]}"
  status=$?
fi

if [ -n "${LOCK:-}" ]; then
  options=(--lock "$LOCK")
  [ -z "${CONFIG:-}" ] || options+=(--client-config "$CONFIG")
  [ "${REQUIRE_APPROVED:-}" != true ] || options+=(--require-approved)
  read -r -d '' -a agreed <<<"${AGREE:-}" || true
  for name in "${agreed[@]}"; do options+=(--yes "$name"); done
  sarif=${SARIF:-}
  # Beside that of the check, if there is one.
  [ -z "${PATHS:-}" ] || [ -z "$sarif" ] || sarif="${sarif%.sarif}.lock.sarif"
  report "$sarif" toolwatch verify "${options[@]}"
  verified=$?
  [ "$verified" -le "$status" ] || status=$verified
fi

[ -z "${GITHUB_OUTPUT:-}" ] || echo "status=$status" >>"$GITHUB_OUTPUT"
exit "$status"
