# rankscope::warnings: linked PRIVATE by every target of ours, never by what comes from elsewhere.

option(RANKSCOPE_WERROR "Treat warnings as errors" OFF)

add_library(rankscope_warnings INTERFACE)
add_library(rankscope::warnings ALIAS rankscope_warnings)
target_compile_options(
  rankscope_warnings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Wcast-align
            -Woverloaded-virtual
            -Wimplicit-fallthrough
            -Wextra-semi>)
if(RANKSCOPE_WERROR)
  target_compile_options(rankscope_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
