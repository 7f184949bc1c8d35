# cmake -D SIMULATE=PROGRAM -D SEEDS=N -D FIRST=N -P same_trace.cmake: a seed has one trace. One
# process runs all seeds, and two others the FIRST ones and the rest, so neither addresses nor jobs
# that ran before in the process may have an influence.
function(traces output from seeds)
  execute_process(COMMAND ${SIMULATE} --traces ${seeds} --from ${from}
                  OUTPUT_VARIABLE text RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "simulate --traces ${seeds} --from ${from} ended with ${status}:\n${text}")
  endif()
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  list(LENGTH lines count)
  if(NOT count EQUAL seeds)
    message(FATAL_ERROR "${seeds} traces were wanted and ${count} came")
  endif()
  set(${output} ${lines} PARENT_SCOPE)
endfunction()

math(EXPR rest "${SEEDS} - ${FIRST}")
traces(whole 0 ${SEEDS})
traces(first 0 ${FIRST})
traces(second ${FIRST} ${rest})
set(parts ${first} ${second})
foreach(one other IN ZIP_LISTS whole parts)
  if(NOT one STREQUAL other)
    message(FATAL_ERROR "seed and hashes: ${one}, and in another process ${other}")
  endif()
endforeach()
