# What is installed where, and the Debian packages. Two components: "headless" runs without Qt, "desktop" adds the window.
# packaging/package makes two packages of them: rankscope (both) and rankscope-headless.

include(GNUInstallDirs)

set(doc ${CMAKE_INSTALL_DATADIR}/doc)
set(texts ${CMAKE_BINARY_DIR}/texts)
if(RANKSCOPE_REMOTE)
  install(TARGETS rankscopectl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT headless)
  install(TARGETS rankscope-agent rankscope-askpass RUNTIME DESTINATION lib/rankscope COMPONENT headless)

  # The manual page and the completions are what rankscopectl says of itself. --help of a sanitized program is slow, but right.
  file(MAKE_DIRECTORY ${texts})
  add_custom_command(
    OUTPUT ${texts}/rankscopectl.1 ${texts}/rankscopectl ${texts}/_rankscopectl ${texts}/rankscopectl.fish
    COMMAND rankscopectl manual > ${texts}/rankscopectl.1
    COMMAND rankscopectl completion bash > ${texts}/rankscopectl
    COMMAND rankscopectl completion zsh > ${texts}/_rankscopectl
    COMMAND rankscopectl completion fish > ${texts}/rankscopectl.fish
    DEPENDS rankscopectl
    VERBATIM)
  add_custom_target(rankscope_texts ALL DEPENDS ${texts}/rankscopectl.1)
  install(FILES ${texts}/rankscopectl.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT headless)
  install(FILES ${texts}/rankscopectl DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT headless)
  install(FILES ${texts}/_rankscopectl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT headless)
  install(FILES ${texts}/rankscopectl.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT headless)
  install(FILES resources/nccl_lines.yaml resources/nccl_variables.yaml DESTINATION ${CMAKE_INSTALL_DATADIR}/rankscope COMPONENT headless)
  install(DIRECTORY resources/recipes resources/rules DESTINATION ${CMAKE_INSTALL_DATADIR}/rankscope COMPONENT headless)
endif()

if(RANKSCOPE_CPU)
  # One folder for this machine's own ranks and for those of the nodes, to which it is pushed.
  install(DIRECTORY ${CMAKE_BINARY_DIR}/bundle/worker DESTINATION lib/rankscope USE_SOURCE_PERMISSIONS COMPONENT headless)
  install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
file(CREATE_LINK ../lib/rankscope/worker/rankscope-worker \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/rankscope-worker\" SYMBOLIC)"
          COMPONENT headless)
  # Commands of rankscope-worker that are programs beside it; the manifest does not name them, so they are not pushed.
  install(TARGETS rankscope-worker-bench rankscope-worker-distribuuuu RUNTIME DESTINATION lib/rankscope/worker
                                                                              COMPONENT headless)
  configure_file(packaging/man/rankscope-worker.1.in ${texts}/rankscope-worker.1 @ONLY)
  install(FILES ${texts}/rankscope-worker.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT headless)
endif()

# Licences of what is linked into the programs (cmake/RankscopeStatic.cmake).
foreach(package libre2-dev libyaml-cpp-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION lib/rankscope/licences RENAME ${package}.txt COMPONENT headless OPTIONAL)
endforeach()

# For nodes with another processor, where packaging/build arm64 has made it.
cmake_path(GET CMAKE_BINARY_DIR PARENT_PATH builds)
install(PROGRAMS ${builds}/arm64/bin/rankscope-agent DESTINATION lib/rankscope/aarch64 COMPONENT headless OPTIONAL)
install(DIRECTORY ${builds}/arm64/bundle/worker DESTINATION lib/rankscope/aarch64 USE_SOURCE_PERMISSIONS COMPONENT headless OPTIONAL)

if(RANKSCOPE_GUI)
  install(TARGETS rankscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT desktop)
  configure_file(packaging/man/rankscope.1.in ${texts}/rankscope.1 @ONLY)
  install(FILES ${texts}/rankscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT desktop)
  install(FILES packaging/desktop/rankscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT desktop)
  install(FILES packaging/desktop/io.github.rankscope.Rankscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo
          COMPONENT desktop)
  # Help shows it without network.
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/rankscope COMPONENT desktop
          FILES_MATCHING PATTERN "*.md" PATTERN "images/*.png" PATTERN "screenshots" EXCLUDE)
  install(FILES resources/icons/rankscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT desktop)
endif()

# --- Debian packages: packaging/package calls cpack once for each ------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Rankscope contributors <rankscope@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "launch, watch and diagnose distributed training")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/RankscopeDebian.cmake)
set(RANKSCOPE_SOURCE_DIR ${CMAKE_SOURCE_DIR})
set(RANKSCOPE_BINARY_DIR ${CMAKE_BINARY_DIR})
foreach(name RANKSCOPE_SOURCE_DIR RANKSCOPE_BINARY_DIR)
  set(CPACK_${name} ${${name}})
endforeach()
include(CPack)
