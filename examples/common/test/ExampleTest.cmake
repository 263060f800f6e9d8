# example_test(PROGRAM NAME STATUS REGEX [NEEDS file] [TRACE file] [TEXT_OF file] [SEARCH_PATH folders]
#              [JSON checks…] ARGS arguments…)
#
# Runs PROGRAM and checks exit status and output. NEEDS names a file of the data folder; without it the test is
# skipped, or fails where the environment says CI. TRACE is one that the program gets, of the folder's traces. TEXT_OF
# is one with the text that the output must be. JSON are conditions on the document that the program writes, such as
# "results/hits EQUAL 5". SEARCH_PATH is the PATH of the program.
function(example_test program name status regex)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "NEEDS;TRACE;TEXT_OF;SEARCH_PATH" "JSON;ARGS")
  set(json)
  if(arg_JSON)
    set(json ${CMAKE_CURRENT_BINARY_DIR}/${name}.json)
    list(APPEND arg_ARGS --json ${json})
  endif()
  if(arg_TRACE)
    string(PREPEND arg_TRACE traces/)
  endif()
  add_test(
    NAME ${program}.${name}
    COMMAND
      ${CMAKE_COMMAND} -DEXPECT_STATUS=${status} "-DEXPECT=${regex}" "-DDATA=${PROJECT_SOURCE_DIR}/../shared/data"
      "-DNEEDS=${arg_NEEDS}" "-DTRACE=${arg_TRACE}" "-DTEXT_OF=${arg_TEXT_OF}" "-DJSON_FILE=${json}"
      "-DJSON_CHECKS=${arg_JSON}" "-DSEARCH_PATH=${arg_SEARCH_PATH}" -P
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/expect.cmake -- $<TARGET_FILE:${program}> ${arg_ARGS})
  set_tests_properties(${program}.${name} PROPERTIES TIMEOUT 300 SKIP_REGULAR_EXPRESSION "SKIPPED: no ")
endfunction()
