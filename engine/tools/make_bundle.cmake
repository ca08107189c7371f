# Makes the folder that is pushed to a node: the worker and every shared library it needs, all in one folder (the worker's
# RPATH is $ORIGIN), and manifest.json that says what is in it. glibc's files are there as glibc-NAME: the node's own glibc
# serves, unless it is older (remote/agent/files/own_libc.h).
#   cmake -DWORKER=… -DEXTRA=… -DOUTPUT=… -DVERSION=… -DSTRIP=… -P make_bundle.cmake
# For another processor also -DSYSROOT=… (where its libraries are), -DOBJDUMP=… (which reads them) and -DEMULATOR=….

foreach(needed WORKER OUTPUT VERSION)
  if(NOT DEFINED ${needed})
    message(FATAL_ERROR "make_bundle.cmake: -D${needed}=… is missing")
  endif()
endforeach()

set(glibc "^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libnss_.*|linux-vdso)\\.so.*$")
# NVIDIA's libraries are the node's: gigabytes, and the driver's must match them.
set(nvidia "^lib(cuda|cudart|cudnn|cublas|nccl|nv)[^/]*\\.so.*$")
set(folders "")
set(run "")
if(SYSROOT)
  set(CMAKE_GET_RUNTIME_DEPENDENCIES_TOOL objdump)
  set(CMAKE_GET_RUNTIME_DEPENDENCIES_COMMAND ${OBJDUMP})
  file(GLOB folders ${SYSROOT}/lib/*-linux-gnu ${SYSROOT}/usr/lib/*-linux-gnu)
  set(folders DIRECTORIES ${folders} ${SYSROOT}/usr/lib)
  set(run QEMU_LD_PREFIX=${SYSROOT} ${EMULATOR}) # the variable holds for programs that it starts, too
endif()
file(
  GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${WORKER}
  LIBRARIES ${EXTRA}
  RESOLVED_DEPENDENCIES_VAR found
  UNRESOLVED_DEPENDENCIES_VAR lost
  PRE_EXCLUDE_REGEXES ${glibc} ${nvidia} ${folders})
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

# The loader, the C library, and the names that older programs know its parts by. They must match each other.
if(SYSROOT)
  file(GLOB loader ${SYSROOT}/lib/ld-linux-*)
  file(GLOB folder ${SYSROOT}/lib/*-linux-gnu)
else()
  execute_process(COMMAND ldd ${WORKER} OUTPUT_VARIABLE loaded)
  if(loaded MATCHES "libc\\.so\\.6 => ([^ ]+) " AND CMAKE_MATCH_1)
    get_filename_component(folder ${CMAKE_MATCH_1} DIRECTORY)
    string(REGEX MATCH "/[^ ]*/ld-linux[^ /]*" loader "${loaded}")
  endif()
endif()
if(loader AND folder)
  foreach(source ${loader} ${folder}/libc.so.6 ${folder}/libm.so.6 ${folder}/libpthread.so.0 ${folder}/libdl.so.2
                 ${folder}/librt.so.1 ${folder}/libresolv.so.2 ${folder}/libutil.so.1 ${folder}/libanl.so.1)
    get_filename_component(name ${source} NAME)
    file(REAL_PATH ${source} real)
    configure_file(${real} ${fresh}/glibc-${name} COPYONLY)
    list(APPEND names glibc-${name})
  endforeach()
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ASAN_OPTIONS=detect_leaks=0 ${run} ${fresh}/${entry}
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
  if(name STREQUAL entry OR name MATCHES "^glibc-ld-") # the kernel executes the loader, too
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
