# The targets of find_package(Gondwana), for projects that contain this repository as a folder, by
# add_subdirectory or FetchContent.

# One library serves every thread mode of GASNet-EX.
foreach(kind "" _static)
  foreach(mode SEQ PAR PARSYNC)
    string(TOLOWER gasnet_${mode}${kind} target)
    add_library(gondwana_${target} INTERFACE)
    target_compile_definitions(gondwana_${target} INTERFACE GASNET_${mode}=1 _GNU_SOURCE=1)
    target_link_libraries(gondwana_${target} INTERFACE gondwana_gasnet${kind} $<$<NOT:$<STREQUAL:${mode},SEQ>>:Threads::Threads>)
    list(APPEND of_gasnet ${target})
  endforeach()
endforeach()

foreach(space Gondwana gondwana)
  foreach(target shmem shmem_static armci nvshmem ${of_gasnet})
    add_library(${space}::${target} ALIAS gondwana_${target})
  endforeach()
  foreach(mpi openmpi mpich)
    add_library(${space}::armci_${mpi} ALIAS gondwana_armci)
  endforeach()
  add_executable(${space}::command ALIAS gondwana_command)
endforeach()
