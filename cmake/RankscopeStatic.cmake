# RE2 and yaml-cpp become part of the programs: their names change from one Debian to the next, and one package is to serve several. Where
# only the shared library can be used, it is. packaging/deb/copyright has their licences.

# From 2023 on a static RE2 needs parts of Abseil.
macro(rankscope_find_re2)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
  find_library(RANKSCOPE_STATIC_RE2 libre2.a)
  if(RANKSCOPE_STATIC_RE2 AND NOT RE2_STATIC_LIBRARIES MATCHES "absl")
    set_target_properties(PkgConfig::RE2 PROPERTIES INTERFACE_LINK_LIBRARIES ${RANKSCOPE_STATIC_RE2})
  endif()
endmacro()

macro(rankscope_find_yaml)
  find_package(yaml-cpp REQUIRED)
  find_library(RANKSCOPE_STATIC_YAML libyaml-cpp.a)
  if(RANKSCOPE_STATIC_YAML)
    get_target_property(configurations yaml-cpp IMPORTED_CONFIGURATIONS)
    foreach(configuration IN LISTS configurations)
      set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION_${configuration} ${RANKSCOPE_STATIC_YAML})
    endforeach()
  endif()
endmacro()
