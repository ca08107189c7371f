# Read by cpack before it packs (CPACK_PROJECT_CONFIG_FILE): what differs between rankscope and rankscope-headless, and what is computed
# from the built programs. CPACK_PACKAGE_NAME says which of the two.

if(CPACK_PACKAGE_NAME STREQUAL "rankscope")
  set(CPACK_COMPONENTS_ALL headless desktop)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS "rankscope-headless")
  set(CPACK_DEBIAN_PACKAGE_REPLACES "rankscope-headless")
  set(CPACK_DEBIAN_PACKAGE_PROVIDES "rankscope-headless (= ${CPACK_PACKAGE_VERSION}-1)")
  set(programs rankscope rankscopectl rankscope-askpass)
  # Plugins that Qt opens at run time: the windowing system, SVG icons.
  set(extra "openssh-client, libqt6svg6, qt6-qpa-plugins")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, curl, qt6-wayland")
  set(long "The window and rankscopectl, its command line.")
else()
  set(CPACK_COMPONENTS_ALL headless)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS "rankscope")
  set(CPACK_DEBIAN_PACKAGE_REPLACES "rankscope")
  set(programs rankscopectl rankscope-askpass)
  set(extra "openssh-client")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, curl")
  set(long "rankscopectl, the command line, for login nodes and CI: no window, no Qt.")
endif()
set(CPACK_PACKAGE_DESCRIPTION
    "Starts data-parallel training on several machines over SSH or Slurm, shows the\nmetrics and output of every rank, and names the rank, node and reason of a\nfailure.\n${long}\nNothing has to be installed on the nodes.")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")

# Dependencies of the programs that run here. Those of the worker are in its folder or, from NVIDIA, on the nodes.
set(work ${CPACK_RANKSCOPE_BINARY_DIR}/packages/work-${CPACK_PACKAGE_NAME})
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/debian)
file(WRITE ${work}/debian/control "Source: rankscope\n\nPackage: ${CPACK_PACKAGE_NAME}\nArchitecture: any\n")
list(TRANSFORM programs PREPEND ${CPACK_RANKSCOPE_BINARY_DIR}/bin/)
execute_process(
  COMMAND dpkg-shlibdeps -O ${programs}
  WORKING_DIRECTORY ${work}
  OUTPUT_VARIABLE depends
  ERROR_VARIABLE problems
  RESULT_VARIABLE failed
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  message(FATAL_ERROR "dpkg-shlibdeps (package dpkg-dev) failed: ${problems}")
endif()
string(REPLACE "shlibs:Depends=" "" depends "${depends}")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${depends}, ${extra}")

# Files that every Debian package has.
set(RANKSCOPE_DEB_VERSION ${CPACK_PACKAGE_VERSION}-1)
set(RANKSCOPE_DEB_MAINTAINER ${CPACK_PACKAGE_CONTACT})
# The day of the release; not the day on which somebody builds it.
file(STRINGS ${CPACK_RANKSCOPE_SOURCE_DIR}/CHANGELOG.md released REGEX "^## [0-9.]+ - [0-9-]+$" LIMIT_COUNT 1)
string(REGEX REPLACE ".* - " "" released "${released}")
execute_process(COMMAND date --utc --rfc-email "--date=${released}" OUTPUT_VARIABLE RANKSCOPE_DEB_DATE RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed OR NOT released)
  message(FATAL_ERROR "CHANGELOG.md has no heading of a release, such as: ## 1.2.3 - 2026-01-31")
endif()
set(documents ${work}/usr/share/doc/${CPACK_PACKAGE_NAME})
configure_file(${CPACK_RANKSCOPE_SOURCE_DIR}/packaging/deb/changelog.in ${documents}/changelog.Debian @ONLY)
configure_file(${CPACK_RANKSCOPE_SOURCE_DIR}/packaging/deb/copyright ${documents}/copyright COPYONLY)
configure_file(${CPACK_RANKSCOPE_SOURCE_DIR}/packaging/deb/lintian-overrides.in ${work}/usr/share/lintian/overrides/${CPACK_PACKAGE_NAME}
               @ONLY)
configure_file(${CPACK_RANKSCOPE_SOURCE_DIR}/CHANGELOG.md ${documents}/changelog COPYONLY)
execute_process(COMMAND gzip -9n -f ${documents}/changelog.Debian ${documents}/changelog)
set(CPACK_RANKSCOPE_EXTRA_TREE ${work}/usr)
set(CPACK_PRE_BUILD_SCRIPTS ${CPACK_RANKSCOPE_SOURCE_DIR}/cmake/RankscopeDebianTree.cmake)
