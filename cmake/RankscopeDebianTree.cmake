# Run by cpack when the files of a package lie in its staging folder: adds what RankscopeDebian.cmake wrote, packs manual pages.

set(stage ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
foreach(inner ALL_COMPONENTS_IN_ONE)
  if(EXISTS ${stage}/${inner})
    set(stage ${stage}/${inner})
  endif()
endforeach()
file(COPY ${CPACK_RANKSCOPE_EXTRA_TREE} DESTINATION ${stage})
file(GLOB pages ${stage}/usr/share/man/man1/*.1)
if(pages)
  execute_process(COMMAND gzip -9n -f ${pages})
endif()
