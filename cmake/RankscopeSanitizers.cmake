# RANKSCOPE_SANITIZE=address,undefined | thread instruments every target; the asan and tsan presets set it.

set(RANKSCOPE_SANITIZE "" CACHE STRING "Sanitizers for the whole build, comma separated")
if(RANKSCOPE_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${RANKSCOPE_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${RANKSCOPE_SANITIZE})
endif()

# RANKSCOPE_FUZZ=ON instruments every target for libFuzzer and builds the fuzzers (tests/fuzz); needs Clang. Preset fuzz.
option(RANKSCOPE_FUZZ "Build the libFuzzer targets" OFF)
if(RANKSCOPE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "RANKSCOPE_FUZZ=ON needs Clang: cmake --preset fuzz (packages clang and libclang-rt-dev)")
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
