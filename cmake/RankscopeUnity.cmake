# Several files of a folder are compiled as one: most of the time of a clean build goes into headers that each file reads
# again. Each file still is complete: `packaging/build dev` compiles them one by one, and the test structure.single_files
# a part of them.

option(RANKSCOPE_UNITY "Compile the files of a folder together (a quick clean build; a slow one after a change)" ON)

# rankscope_unity(TARGET [NAME...]): a file's private names must differ from those of the others of its folder, except
# kContext, the translation context that most files have, and NAME...: each file gets its own of those. Files with compile
# options of their own stay alone (CMake sees to that).
function(rankscope_unity target)
  if(NOT RANKSCOPE_UNITY)
    return()
  endif()
  set(most 16) # of a batch: enough batches for the cores of a workstation
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(folders "")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(IS_ABSOLUTE "${folder}") # a name of the clone's whole path may be too long for a file
      file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
    endif()
    string(MAKE_C_IDENTIFIER "in_${folder}" key)
    list(APPEND folders ${key})
    list(APPEND files_${key} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(key IN LISTS folders)
    list(LENGTH files_${key} count)
    math(EXPR batches "(${count} + ${most} - 1) / ${most}")
    math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
    set(index 0)
    foreach(source IN LISTS files_${key})
      math(EXPR batch "${index} / ${size}")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${key}_${batch})
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
  set(define "#define RANKSCOPE_UNITY_JOIN2(a, b) a##b\n#define RANKSCOPE_UNITY_JOIN(a, b) RANKSCOPE_UNITY_JOIN2(a, b)")
  set(undefine "")
  foreach(name IN ITEMS kContext LISTS ARGN)
    string(APPEND define "\n#define ${name} RANKSCOPE_UNITY_JOIN(${name}_, RANKSCOPE_UNITY_FILE)")
    string(APPEND undefine "#undef ${name}\n")
  endforeach()
  set_target_properties(
    ${target}
    PROPERTIES UNITY_BUILD ON
               UNITY_BUILD_MODE GROUP
               UNITY_BUILD_UNIQUE_ID RANKSCOPE_UNITY_FILE
               UNITY_BUILD_CODE_BEFORE_INCLUDE
               "${define}"
               UNITY_BUILD_CODE_AFTER_INCLUDE "${undefine}")
  # GCC takes the included files for headers, and warns of a class there that has a member of a private type.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
endfunction()
