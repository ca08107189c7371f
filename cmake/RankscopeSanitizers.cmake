# RANKSCOPE_SANITIZE=address,undefined | thread instruments every target; the asan and tsan presets set it.

set(RANKSCOPE_SANITIZE "" CACHE STRING "Sanitizers for the whole build, comma separated")
if(RANKSCOPE_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${RANKSCOPE_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${RANKSCOPE_SANITIZE})
endif()
