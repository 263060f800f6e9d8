# What the job scripts share: settings, modules, the folder of results. Sourced by them.
# shellcheck shell=bash

: "${KOKKOSKV_BUILD:?is not set: the build folder}" "${KOKKOSKV_OUTPUT:?is not set: the folder of results}"
KOKKOSKV_DEVICES=${KOKKOSKV_DEVICES:-0}
processes_per_node=$((KOKKOSKV_DEVICES > 0 ? KOKKOSKV_DEVICES : 1))
process_command=("$KOKKOSKV_CLUSTER/run-process" --build "$KOKKOSKV_BUILD" --output "$KOKKOSKV_OUTPUT"
  --devices "$KOKKOSKV_DEVICES")
[[ -z ${KOKKOSKV_SMOKE:-} ]] || process_command+=(--smoke)
[[ -z ${KOKKOSKV_FILTER:-} ]] || process_command+=("$KOKKOSKV_FILTER")

refuse() { printf 'error: %s\n' "$*" >&2; exit 2; }

if [[ -n ${KOKKOSKV_MODULES:-} ]]; then
  [[ -r $KOKKOSKV_MODULES ]] || refuse "there is no file $KOKKOSKV_MODULES on this node"
  # The functions of module systems are not written for these options.
  set +eu
  # shellcheck disable=SC1090  # the user's own file
  . "$KOKKOSKV_MODULES"
  set -eu
fi

# begin_job NODES: sets `processes`. Results of an earlier job would pass for this one's.
begin_job() {
  local file
  (($1 > 0)) || refuse "the job has no nodes"
  mkdir -p -- "$KOKKOSKV_OUTPUT"
  for file in "$KOKKOSKV_OUTPUT"/*.json "$KOKKOSKV_OUTPUT"/*.part; do
    [[ ! -e $file ]] || refuse "$KOKKOSKV_OUTPUT has results of an earlier job: $file"
  done
  processes=$(($1 * processes_per_node))
  # Of two jobs that begin at the same time, only one can make the file.
  (
    set -o noclobber
    printf '{"nodes": %d, "devices_per_node": %d, "processes": %d}\n' "$1" "$KOKKOSKV_DEVICES" "$processes" \
      > "$KOKKOSKV_OUTPUT/job.json"
  ) || refuse "another job uses $KOKKOSKV_OUTPUT"
}

# end_job: the table; its exit status is the job's. Without Python only files are counted.
end_job() {
  if command -v python3 > /dev/null; then
    "$KOKKOSKV_CLUSTER/gather" "$KOKKOSKV_OUTPUT"
    return
  fi
  local files
  files=$(compgen -G "$KOKKOSKV_OUTPUT/*.[0-9]*.json" | wc -l) || true
  printf '%d of %d results; no python3 on this node: call %s %s elsewhere\n' "$files" "$processes" \
    "$KOKKOSKV_CLUSTER/gather" "$KOKKOSKV_OUTPUT"
  ((files == processes))
}
