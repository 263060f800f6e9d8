# Runs a command and checks its exit status, what it says, and the JSON document that it writes.
#   cmake -DEXPECT_STATUS=n -DEXPECT=regex [-DTRACE=path below the data folder] -DDATA=default data folder
#         [-DJSON_FILE=file -DJSON_CHECKS=conditions] [-DSEARCH_PATH=folders] -P expect.cmake -- command…
# With TRACE, `--trace FILE` is added; the folder is the environment's KOKKOSKV_DATA, else DATA. Where it is
# missing, the test is skipped, except where the environment says CI. A condition is "path OPERATOR number", the
# members of the path apart by slashes, the operator one of if()'s. SEARCH_PATH is the command's PATH.
set(command)
set(in_command FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(in_command)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(in_command TRUE)
  endif()
endforeach()

if(TRACE)
  if(NOT "$ENV{KOKKOSKV_DATA}" STREQUAL "")
    set(DATA "$ENV{KOKKOSKV_DATA}")
  endif()
  set(trace "${DATA}/traces/${TRACE}")
  if(NOT EXISTS "${trace}")
    if(NOT "$ENV{CI}" STREQUAL "")
      message(FATAL_ERROR "no trace ${trace}: set KOKKOSKV_DATA")
    endif()
    message("SKIPPED: no trace ${trace}")
    return()
  endif()
  list(APPEND command --trace "${trace}")
endif()

if(SEARCH_PATH)
  set(ENV{PATH} "${SEARCH_PATH}")
endif()
execute_process(
  COMMAND ${command}
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE error)
message("${output}${error}")
if(NOT "${status}" STREQUAL "${EXPECT_STATUS}")
  message(FATAL_ERROR "exit status ${status}, expected ${EXPECT_STATUS}")
endif()
if(NOT "${output}${error}" MATCHES "${EXPECT}")
  message(FATAL_ERROR "the output does not match ${EXPECT}")
endif()
foreach(check IN LISTS JSON_CHECKS)
  string(REGEX MATCH "^([^ ]+) ([A-Z_]+) (.+)$" parts "${check}")
  set(operator ${CMAKE_MATCH_2})
  set(number "${CMAKE_MATCH_3}")
  string(REPLACE "/" ";" path "${CMAKE_MATCH_1}")
  file(READ "${JSON_FILE}" document)
  string(JSON value GET "${document}" ${path})
  if(NOT "${value}" ${operator} "${number}")
    message(FATAL_ERROR "${check} does not hold: ${value}")
  endif()
endforeach()
