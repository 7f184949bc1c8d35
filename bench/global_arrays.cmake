# Builds the rows of Global Arrays, if Debian's packages of it for Open MPI are installed: on our
# ARMCI, and on ARMCI-MPI if it is installed. Include it after openmpi.cmake.
find_library(BENCH_GLOBAL_ARRAYS ga-openmpi)
find_library(BENCH_SCALAPACK scalapack-openmpi)
find_library(BENCH_ARMCI_MPI armci-openmpi PATHS /usr/lib PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE})
if(NOT bench_mpirun OR NOT BENCH_GLOBAL_ARRAYS OR NOT BENCH_SCALAPACK)
  return()
endif()
set(programs "")
function(bench_global_arrays_program program folder)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${folder})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${folder}/ga_${program})
  set(sources ${CMAKE_CURRENT_SOURCE_DIR}/rows/ga_${program}.c ${CMAKE_CURRENT_SOURCE_DIR}/rows/ga_switch.c)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/*.h)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${BENCH_MPICC} -std=gnu11 -O2 -Wno-stringop-overflow ${ARGN} -o ${out} ${sources} ${BENCH_GLOBAL_ARRAYS}
            ${bench_armci} ${BENCH_SCALAPACK} -llapack -lblas -lgfortran -lm
    DEPENDS ${sources} ${headers} ${bench_armci_target}
    COMMENT "Building ga_${program} in ${folder}" VERBATIM)
  set(programs ${programs} ${out} PARENT_SCOPE)
endfunction()

foreach(program small bulk sync matrices)
  set(bench_armci $<TARGET_FILE:gondwana_armci> $<TARGET_FILE:gondwana>
      -Wl,-rpath,$<TARGET_FILE_DIR:gondwana_armci>:$<TARGET_FILE_DIR:gondwana>)
  set(bench_armci_target gondwana_armci)
  bench_global_arrays_program(${program} rows -I${PROJECT_SOURCE_DIR}/include/armci)
  if(BENCH_ARMCI_MPI AND EXISTS /usr/include/armci.h)
    set(bench_armci ${BENCH_ARMCI_MPI})
    set(bench_armci_target "")
    bench_global_arrays_program(${program} armci_mpi)
  endif()
endforeach()
add_custom_target(bench_global_arrays ALL DEPENDS ${programs})
