# One ctest run over several build folders; needs config.sh.
# shellcheck shell=bash

# nested_launcher ROOT: runs a test in the root that in_root --nest has put there,
# in the working directory and with the environment that ctest gives it.
nested_launcher() {
  # shellcheck disable=SC2016  # the inner shell expands it
  printf '"sh" "-c" [==[exec chroot "/nested/%s" env --chdir="$PWD" "$@"]==] "sh"' "$1"
}

# write_all_tests MAIN CONFIG…: build/all/CTestTestfile.cmake. MAIN's root is the one
# that ctest runs in.
write_all_tests() {
  local main=$1 name launcher
  shift
  mkdir -p build/all
  {
    printf 'include([==[%s]==])\n' "$source_root/scripts/lib/all_tests.cmake"
    for name in "$@"; do
      launcher=
      [[ $(root_of "$name") == "$main" ]] || launcher=$(nested_launcher "$(root_of "$name")")
      printf 'set(all_tests_prefix "%s:")\nset(all_tests_launcher %s)\n' "$name" "$launcher"
      printf 'subdirs([==[%s]==])\n' "$source_root/build/$name"
    done
  } > build/all/CTestTestfile.cmake
}

# run_all_tests CONFIG… -- CTEST_ARGUMENT…: ctest's summary comes last.
run_all_tests() {
  local main nested=() name configs=()
  while [[ $1 != -- ]]; do configs+=("$1"); shift; done
  shift
  main=$(root_of "${configs[0]}")
  for name in "${configs[@]}"; do
    [[ $(root_of "$name") == "$main" ]] || nested=(--nest "$(root_of "$name")")
  done
  write_all_tests "$main" "${configs[@]}"
  # A waiting thread must not spin on the core that another test's thread needs.
  export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} OMP_PROC_BIND=${OMP_PROC_BIND:-false}
  in_config "${nested[@]}" "${configs[0]}" ctest --test-dir build/all --output-on-failure \
    --no-tests=error -j"$(nproc)" "$@"
}
