# Makes ctest run the tests of several build folders as one list: each name gets the
# configuration as prefix, and each command a launcher where it needs another root.
# Included by the generated build/all/CTestTestfile.cmake, which ctest reads as a script.

# In: all_tests_prefix, all_tests_launcher. Arguments pass as evaluated code, each in
# brackets: an empty one, or one with a semicolon in it, stays what it is.
function(add_test name)
  set(code "_add_test([==========[${all_tests_prefix}${name}]==========]")
  foreach(part IN LISTS all_tests_launcher)
    string(APPEND code " [==========[${part}]==========]")
  endforeach()
  math(EXPR last "${ARGC} - 1")
  foreach(index RANGE 1 ${last})
    string(APPEND code " [==========[${ARGV${index}}]==========]")
  endforeach()
  cmake_language(EVAL CODE "${code})")
endfunction()

# Names come first, then PROPERTIES and pairs. Some values are names again: of tests,
# or of fixtures, which are each configuration's own.
function(set_tests_properties)
  set(code "_set_tests_properties(")
  set(is_name TRUE)
  set(key "")
  math(EXPR last "${ARGC} - 1")
  foreach(index RANGE ${last})
    set(value "${ARGV${index}}")
    if(value STREQUAL "PROPERTIES")
      set(is_name FALSE)
      set(key "")
    elseif(is_name OR key MATCHES "^(DEPENDS|FIXTURES_)")
      list(TRANSFORM value PREPEND "${all_tests_prefix}")
      set(key "")
    elseif(key STREQUAL "")
      set(key "${value}")
    else()
      set(key "")
    endif()
    string(APPEND code " [==========[${value}]==========]")
  endforeach()
  cmake_language(EVAL CODE "${code})")
endfunction()
