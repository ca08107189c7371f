# rankscope_add_cluster_test(NAME name [NODES n] [TIMEOUT seconds] [OPTIONS option...] COMMAND command arg...)
#
# A test that runs COMMAND at the desk of a virtual cluster of its own (see README.md here). Where no cluster can be made (not root, no
# sshd) ctest shows it as skipped, with the reason in its output. A target's name as command stands for its program.

include_guard(GLOBAL)
find_package(Python3 3.9 COMPONENTS Interpreter)

function(rankscope_add_cluster_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;NODES;TIMEOUT" "OPTIONS;COMMAND")
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter) # again: what was found is known only in the folder that looked
  if(NOT Python3_Interpreter_FOUND)
    message(STATUS "No Python 3.9: the test ${arg_NAME}, which needs the virtual cluster, is left out")
    return()
  endif()
  if(NOT arg_NODES)
    set(arg_NODES 2)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/vcluster.py run --nodes ${arg_NODES} ${arg_OPTIONS} --
                                    ${program} ${arg_COMMAND})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS cluster SKIP_RETURN_CODE 77 TIMEOUT ${arg_TIMEOUT})
endfunction()
