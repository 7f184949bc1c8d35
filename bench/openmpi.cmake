# Builds the rows against the distribution's Open MPI, if it has one. Sets bench_oshrun and bench_mpirun.
set(bench_oshrun "")
set(bench_mpirun "")
find_program(BENCH_MPICC NAMES mpicc.openmpi DOC "mpicc of Open MPI, for the benchmarks")
find_program(BENCH_MPIRUN NAMES mpirun.openmpi DOC "mpirun of Open MPI, for the benchmarks")
if(BENCH_MPICC AND BENCH_MPIRUN AND TARGET gondwana_shmem)
  execute_process(COMMAND ${BENCH_MPICC} --showme:incdirs OUTPUT_VARIABLE mpi_folders
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  separate_arguments(mpi_folders)
  find_file(BENCH_MPI_H mpi.h PATHS ${mpi_folders} NO_DEFAULT_PATH DOC "mpi.h of Open MPI, for the benchmarks")
  if(EXISTS "${BENCH_MPI_H}")
    set(bench_mpirun ${BENCH_MPIRUN})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/rows/heat_mpi)
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/rows/heat_mpi.c)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/rows)
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${BENCH_MPICC} -std=gnu11 -O3 -o ${out} ${source}
      DEPENDS ${source} ${CMAKE_CURRENT_SOURCE_DIR}/../examples/slab.h ${CMAKE_CURRENT_SOURCE_DIR}/common/measure.h
      COMMENT "Building heat_mpi against Open MPI" VERBATIM)
    add_custom_target(bench_heat_mpi ALL DEPENDS ${out})
  endif()
endif()
find_program(OPENMPI_OSHCC oshcc PATHS /usr/bin NO_DEFAULT_PATH
             DOC "oshcc of Open MPI: the benchmarks show it beside Gondwana")
if(NOT OPENMPI_OSHCC)
  return()
endif()
execute_process(COMMAND ${OPENMPI_OSHCC} --showme:version OUTPUT_VARIABLE version
                ERROR_VARIABLE version)
if(NOT version MATCHES "Open (MPI|SHMEM) [0-9]")
  return()
endif()
# Debian has the compiler wrapper in one package, and the headers and libraries in another.
execute_process(COMMAND ${OPENMPI_OSHCC} --showme:incdirs OUTPUT_VARIABLE header_folders
                OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(header_folders)
find_file(OPENMPI_SHMEM_H shmem.h PATHS ${header_folders} NO_DEFAULT_PATH
          DOC "shmem.h of Open MPI, for the benchmarks")
if(NOT EXISTS "${OPENMPI_SHMEM_H}")  # not found, or removed since
  return()
endif()
cmake_path(GET OPENMPI_OSHCC PARENT_PATH openmpi_bin)
set(bench_oshrun ${openmpi_bin}/oshrun)

set(folder ${CMAKE_CURRENT_BINARY_DIR}/openmpi)
file(MAKE_DIRECTORY ${folder})
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/*.h)
set(programs "")
foreach(program ${row_programs})
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/rows/${program}.c)
  add_custom_command(
    OUTPUT ${folder}/${program}
    COMMAND ${OPENMPI_OSHCC} -std=gnu11 -O2 -pthread -o ${folder}/${program} ${source}
            $<TARGET_FILE:bench_plt> -Wl,-rpath,$<TARGET_FILE_DIR:bench_plt>
    DEPENDS ${source} ${headers} bench_plt
    COMMENT "Building ${program} against Open MPI" VERBATIM)
  list(APPEND programs ${folder}/${program})
endforeach()
add_custom_target(bench_openmpi ALL DEPENDS ${programs})
