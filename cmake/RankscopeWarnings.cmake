# Linked PRIVATE by every target of ours, never by generated code or by what comes from elsewhere:
# rankscope::strict_warnings by the programs and their libraries, rankscope::warnings by tests. -Wshadow takes names of neighbouring
# files for hidden ones where files are compiled together.

option(RANKSCOPE_WERROR "Treat warnings as errors" OFF)

add_library(rankscope_warnings INTERFACE)
add_library(rankscope::warnings ALIAS rankscope_warnings)
target_compile_options(
  rankscope_warnings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall
            -Wextra
            -Wpedantic
            $<$<NOT:$<BOOL:${RANKSCOPE_UNITY}>>:-Wshadow>
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Wcast-align
            -Woverloaded-virtual
            -Wimplicit-fallthrough
            -Wextra-semi>)
if(RANKSCOPE_WERROR)
  target_compile_options(rankscope_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()

add_library(rankscope_strict_warnings INTERFACE)
add_library(rankscope::strict_warnings ALIAS rankscope_strict_warnings)
target_link_libraries(rankscope_strict_warnings INTERFACE rankscope_warnings)
target_compile_options(rankscope_strict_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wsign-conversion>)
