# example_test(PROGRAM NAME STATUS REGEX [TRACE file] [SEARCH_PATH folders] [JSON checks…] ARGS arguments…)
#
# Runs PROGRAM and checks exit status and output. TRACE names a file of the data folder's traces; without it the
# test is skipped, or fails where the environment says CI. JSON are conditions on the document that the program
# writes, such as "results/hits EQUAL 5". SEARCH_PATH is the PATH of the program.
function(example_test program name status regex)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "TRACE;SEARCH_PATH" "JSON;ARGS")
  set(json)
  if(arg_JSON)
    set(json ${CMAKE_CURRENT_BINARY_DIR}/${name}.json)
    list(APPEND arg_ARGS --json ${json})
  endif()
  add_test(
    NAME ${program}.${name}
    COMMAND
      ${CMAKE_COMMAND} -DEXPECT_STATUS=${status} "-DEXPECT=${regex}" "-DTRACE=${arg_TRACE}"
      "-DDATA=${PROJECT_SOURCE_DIR}/../shared/data" "-DJSON_FILE=${json}" "-DJSON_CHECKS=${arg_JSON}"
      "-DSEARCH_PATH=${arg_SEARCH_PATH}" -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/expect.cmake -- $<TARGET_FILE:${program}>
      ${arg_ARGS})
  set_tests_properties(${program}.${name} PROPERTIES TIMEOUT 300 SKIP_REGULAR_EXPRESSION "SKIPPED: no trace")
endfunction()
