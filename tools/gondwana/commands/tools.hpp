// The commands that jobs do not need: bench, info, top and completion. They form a module, so that
// the command that starts jobs stays small and compiles fast.
#pragma once

// `words` are the command and its arguments. Returns the exit status.
extern "C" [[gnu::visibility("default")]] int gondwana_run_tool(int count,
                                                                const char* const* words);
