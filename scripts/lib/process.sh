# Children that end when the script ends, however it ends, and clean-up hooks.
# shellcheck shell=bash

guarded_child=
cleanup_hooks=()

# at_exit FUNCTION: called when the script ends; the latest one first.
at_exit() { cleanup_hooks=("$1" "${cleanup_hooks[@]}"); }

# The children of all generations, parents first.
descendants() {
  local children=() child
  read -r -d '' -a children < <(cat "/proc/$1/task/"*/children 2> /dev/null) || true
  for child in "${children[@]}"; do
    printf '%s\n' "$child"
    descendants "$child"
  done
}

# Ask all that the child has started to end, and insist after three seconds.
end_guarded_child() {
  [[ -n $guarded_child ]] || return 0
  local tree
  mapfile -t tree < <(printf '%s\n' "$guarded_child"; descendants "$guarded_child")
  kill -TERM "${tree[@]}" 2> /dev/null || true
  for ((i = 0; i < 30; i++)); do
    kill -0 "${tree[@]}" 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL "${tree[@]}" 2> /dev/null || true
  wait "$guarded_child" 2> /dev/null || true
  guarded_child=
}

# run_guarded COMMAND…: its exit status, standard input and output.
# In the background, because bash handles no signal while a foreground command
# runs. That makes bash ignore SIGINT in the child: `env` undoes it. `setpriv`
# ends the child should this script be killed outright.
run_guarded() {
  local status=0
  env --default-signal=INT,QUIT setpriv --pdeathsig KILL "$@" <&0 &
  guarded_child=$!
  wait "$guarded_child" || status=$?
  guarded_child=
  return "$status"
}

on_signal() {
  trap '' INT TERM HUP
  end_guarded_child
  exit "$1"
}

on_exit() {
  local status=$? hook
  trap '' INT TERM HUP
  end_guarded_child
  for hook in "${cleanup_hooks[@]}"; do "$hook" || true; done
  exit "$status"
}

trap 'on_signal 129' HUP
trap 'on_signal 130' INT
trap 'on_signal 143' TERM
trap on_exit EXIT
