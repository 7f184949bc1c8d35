// The commands that no job needs: bench, info, top and the words of completion. A module, so that
// the command that starts jobs is small and soon built.
#pragma once

// `words`: the command and its arguments. Returns the exit status.
extern "C" [[gnu::visibility("default")]] int gondwana_run_tool(int count,
                                                                const char* const* words);
