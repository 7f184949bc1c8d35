# Refuses compilers that are known to be too old: they fail minutes later, within templates. Read by
# CMakeLists.txt; `cmake -DCMAKE_CXX_COMPILER_ID=Clang -DCMAKE_CXX_COMPILER_VERSION=14 -P` tries it.
set(GONDWANA_OLDEST_GNU 12)
set(GONDWANA_OLDEST_Clang 19)
set(oldest "${GONDWANA_OLDEST_${CMAKE_CXX_COMPILER_ID}}")
if(oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest AND NOT GONDWANA_ANY_COMPILER)
  message(FATAL_ERROR
          "Gondwana needs g++ ${GONDWANA_OLDEST_GNU} or newer, or clang ${GONDWANA_OLDEST_Clang} or newer; this is "
          "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. Name another compiler: CXX=g++-12 CC=gcc-12. "
          "-DGONDWANA_ANY_COMPILER=ON builds all the same.")
endif()
unset(oldest)
