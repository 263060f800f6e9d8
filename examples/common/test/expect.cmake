# Runs a command and checks its exit status, what it says, and the JSON document that it writes.
#   cmake -DEXPECT_STATUS=n -DEXPECT=regex -DDATA=default data folder [-DNEEDS=path below the data folder]
#         [-DTRACE=likewise] [-DTEXT_OF=likewise] [-DJSON_FILE=file -DJSON_CHECKS=conditions]
#         [-DSEARCH_PATH=folders] -P expect.cmake -- command…
# The data folder is the environment's KOKKOSKV_DATA, else DATA. Where it lacks NEEDS or TRACE, the test is skipped,
# except where the environment says CI. With TRACE, `--trace FILE` is added. With TEXT_OF, the output must be what
# follows the line `text:` of that file. A condition is "path OPERATOR number", the members of the path apart by
# slashes, the operator one of if()'s. SEARCH_PATH is the command's PATH.
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

if(NOT "$ENV{KOKKOSKV_DATA}" STREQUAL "")
  set(DATA "$ENV{KOKKOSKV_DATA}")
endif()
foreach(needed IN LISTS NEEDS TRACE)
  if(NOT EXISTS "${DATA}/${needed}")
    if(NOT "$ENV{CI}" STREQUAL "")
      message(FATAL_ERROR "no ${DATA}/${needed}: set KOKKOSKV_DATA")
    endif()
    message("SKIPPED: no ${DATA}/${needed}")
    return()
  endif()
endforeach()
if(TRACE)
  list(APPEND command --trace "${DATA}/${TRACE}")
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
if(TEXT_OF)
  file(READ "${DATA}/${TEXT_OF}" text)
  string(REGEX REPLACE "^.*\ntext:\n" "" text "${text}")
  if(NOT output STREQUAL text)
    message(FATAL_ERROR "the text differs from that of ${TEXT_OF}")
  endif()
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
