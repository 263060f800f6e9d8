# As the expect.cmake of the examples' tests, for runs that need the model: skipped where the data folder lacks it,
# except where the environment says CI. With -DTEXT_OF=greedy256.txt the output must be the text of that file.
if(NOT "$ENV{KOKKOSKV_DATA}" STREQUAL "")
  set(folder "$ENV{KOKKOSKV_DATA}/model")
else()
  set(folder "${DATA}/model")
endif()
if(NOT EXISTS "${folder}/stories260K.bin")
  if(NOT "$ENV{CI}" STREQUAL "")
    message(FATAL_ERROR "no model in ${folder}: set KOKKOSKV_DATA")
  endif()
  message("SKIPPED: no model in ${folder}")
  return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/../../common/test/expect.cmake)

if(TEXT_OF)
  file(READ "${folder}/${TEXT_OF}" text)
  string(REGEX REPLACE "^.*\ntext:\n" "" text "${text}")
  if(NOT output STREQUAL text)
    message(FATAL_ERROR "the text differs from that of ${TEXT_OF}")
  endif()
endif()
