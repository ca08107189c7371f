# Makes the folder that is pushed to a node: the worker and every shared library it needs apart from glibc, all in one
# folder (the worker's RPATH is $ORIGIN), and manifest.json that says what is in it.
#   cmake -DWORKER=… -DEXTRA=… -DOUTPUT=… -DVERSION=… -DSTRIP=… -P make_bundle.cmake

foreach(needed WORKER OUTPUT VERSION)
  if(NOT DEFINED ${needed})
    message(FATAL_ERROR "make_bundle.cmake: -D${needed}=… is missing")
  endif()
endforeach()

# glibc and the kernel's part come from the node: they must match each other and its loader.
set(glibc "^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libnss_.*|linux-vdso)\\.so.*$")
# NVIDIA's libraries are the node's: gigabytes, and the driver's must match them.
set(nvidia "^lib(cuda|cudart|cudnn|cublas|nccl|nv)[^/]*\\.so.*$")
file(
  GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${WORKER}
  LIBRARIES ${EXTRA}
  RESOLVED_DEPENDENCIES_VAR found
  UNRESOLVED_DEPENDENCIES_VAR lost
  PRE_EXCLUDE_REGEXES ${glibc} ${nvidia})
if(lost)
  message(FATAL_ERROR "make_bundle.cmake: libraries that the worker needs are not on this machine: ${lost}")
endif()

# Into a fresh folder beside, then swapped: a reader of the bundle never sees half of one.
set(fresh ${OUTPUT}.new)
file(REMOVE_RECURSE ${fresh})
file(MAKE_DIRECTORY ${fresh})
set(names "")
foreach(source ${WORKER} ${EXTRA} ${found})
  get_filename_component(name ${source} NAME)
  # What the loader opens is the soname, a link; what is copied is the file behind it under that name.
  file(REAL_PATH ${source} real)
  configure_file(${real} ${fresh}/${name} COPYONLY)
  if(STRIP)
    execute_process(COMMAND ${STRIP} --strip-unneeded ${fresh}/${name} ERROR_QUIET)
  endif()
  list(APPEND names ${name})
endforeach()
get_filename_component(entry ${WORKER} NAME)

execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ASAN_OPTIONS=detect_leaks=0 ${fresh}/${entry}
                        --capabilities OUTPUT_VARIABLE capabilities RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  message(FATAL_ERROR "make_bundle.cmake: the bundled worker does not start: ${failed}")
endif()

list(SORT names)
set(files "")
foreach(name ${names})
  file(SHA256 ${fresh}/${name} hash)
  file(SIZE ${fresh}/${name} size)
  set(mode "0644")
  if(name STREQUAL entry)
    set(mode "0755")
    file(CHMOD ${fresh}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
         WORLD_EXECUTE)
  else()
    file(CHMOD ${fresh}/${name} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
  string(APPEND files ",\n    {\"name\": \"${name}\", \"size\": ${size}, \"sha256\": \"${hash}\", \"mode\": \"${mode}\"}")
endforeach()
string(SUBSTRING "${files}" 1 -1 files)
file(WRITE ${fresh}/manifest.json
     "{\n  \"entry\": \"${entry}\",\n  \"version\": \"${VERSION}\",\n  \"cuda\": \"${CUDA}\",\n"
     "  \"capabilities\": ${capabilities},\n"
     "  \"files\": [${files}\n  ]\n}\n")
file(REMOVE_RECURSE ${OUTPUT})
file(RENAME ${fresh} ${OUTPUT})
