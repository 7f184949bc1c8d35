# Every example checks its own result and exits with 1 when it is wrong. Included by the tests of
# the front doors; wants the launcher as target `gondwana_command`.
function(test_example name)
  if(NOT TARGET example_${name})
    return()
  endif()
  foreach(ranks 1 2 3 4)
    add_test(NAME example.${name}.n${ranks}
             COMMAND gondwana_command run -n ${ranks} --timeout 60 $<TARGET_FILE:example_${name}>
                     ${ARGN}
             WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    # The launcher gives up first and says so; this is for a launcher that hangs.
    set_tests_properties(example.${name}.n${ranks} PROPERTIES TIMEOUT 90 LABELS example
                         PROCESSORS 2)
  endforeach()
  # Two nodes that are this machine. libfabric is not built with ThreadSanitizer.
  if(LIBFABRIC_FOUND AND NOT GONDWANA_SANITIZE MATCHES thread)
    add_test(NAME example.${name}.hosts
             COMMAND gondwana_command run --hosts localhost:2,localhost:2 --timeout 60
                     $<TARGET_FILE:example_${name}> ${ARGN}
             WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(example.${name}.hosts PROPERTIES TIMEOUT 90 LABELS "example;network"
                         PROCESSORS 2)
  endif()
endfunction()

test_example(hello)
test_example(ring --laps 50)
test_example(histogram --throws 5000)
test_example(sort --keys 20000)
test_example(gups --words 10 --updates 0.02)
test_example(indexgather --words 1000 --reads 20000)
test_example(bfs --vertices 5000)
test_example(hash_table --keys 3000)
test_example(growing_table --keys 2000 --of 3000)
test_example(shared_queue --items 2000)
# Starts with one rank, and grows.
add_test(NAME example.tasks COMMAND gondwana_command run --max-ranks 4 -n 1 --timeout 60
                                    $<TARGET_FILE:example_tasks> --size 9 --workers 3 --last-rows 4)
add_test(NAME example.tasks.hosts
         COMMAND gondwana_command run --hosts localhost:1,localhost:1 --max-ranks 4 --timeout 60
                 $<TARGET_FILE:example_tasks> --size 9 --workers 2 --last-rows 4)
set_tests_properties(example.tasks example.tasks.hosts PROPERTIES PASS_REGULAR_EXPRESSION "[1-3] workers of which [0-3] had work: correct"
                     TIMEOUT 90 LABELS example PROCESSORS 2)
test_example(mortal_stencil --steps 1000 --cells 100)
add_test(NAME example.mortal_stencil.restarts
         COMMAND gondwana_command run -n 3 --restart 100 --keep-memory --timeout 60
                 $<TARGET_FILE:example_mortal_stencil> --steps 2000 --cells 50 --every 300)
set_tests_properties(example.mortal_stencil.restarts PROPERTIES TIMEOUT 90 LABELS example PROCESSORS 2
                     PASS_REGULAR_EXPRESSION "2000 steps, [1-9][0-9]* restarts: right")
test_example(mortal_table --keys 200 --rounds 3)
add_test(NAME example.mortal_table.restarts
         COMMAND gondwana_command run -n 4 --restart 1000 --keep-memory --timeout 60
                 $<TARGET_FILE:example_mortal_table> --keys 300 --rounds 4 --every 2000)
set_tests_properties(example.mortal_table.restarts PROPERTIES TIMEOUT 90 LABELS example PROCESSORS 2
                     PASS_REGULAR_EXPRESSION "4800 operations, [1-9][0-9]* restarts, 0 wrong values: right")
test_example(nvshmem_ring)
test_example(device_heat --size 20)
foreach(where n1 n2 n3 n4 hosts)
  if(TEST example.device_heat.${where})
    set_tests_properties(example.device_heat.${where} PROPERTIES ENVIRONMENT GONDWANA_EMULATED_DEVICES=1)
  endif()
endforeach()
test_example(heat3d --verify --size 20)

if(TARGET example_heat3d)
  add_test(NAME example.heat3d.picture
           COMMAND gondwana_command run -n 4 --timeout 60 $<TARGET_FILE:example_heat3d>
                   --size 24 --picture ${CMAKE_CURRENT_BINARY_DIR}/example_heat3d.png)
  add_test(NAME example.heat3d.refuses_a_word_for_a_number
           COMMAND gondwana_command run -n 2 --timeout 60 $<TARGET_FILE:example_heat3d>
                   --size wide)
  set_tests_properties(example.heat3d.refuses_a_word_for_a_number PROPERTIES
                       PASS_REGULAR_EXPRESSION "--size: expected a whole number")
  set_tests_properties(example.heat3d.picture example.heat3d.refuses_a_word_for_a_number
                       PROPERTIES TIMEOUT 90 LABELS example PROCESSORS 2)
endif()
