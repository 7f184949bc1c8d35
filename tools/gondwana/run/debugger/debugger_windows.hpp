// Runs a gdb for each waiting rank: in the launcher's terminal if there is only one, otherwise in a
// tmux window or an xterm.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/pipe.hpp"
#include "core/result.hpp"

namespace gondwana::launch {

// The message of a waiting rank to the launcher.
struct WaitingRank {
  pid_t process = 0;
  std::uint32_t rank = 0;
};

enum class DebuggerPlace {
  printed,  // no window: the rank prints the command to type
  terminal,
  tmux,
  xterm
};

// The place depends on the number of ranks and on the environment.
DebuggerPlace choose_place(std::uint32_t ranks);

// The gdb of a rank on another host, which ssh starts there.
struct RemoteDebugger {
  std::uint32_t rank = 0;
  std::vector<std::string> words;  // to start it
};

// A separate process outside the job that opens the windows and waits until they are closed.
class DebuggerWindows {
 public:
  // Opens the windows for `remote` at once, others when ranks of this host ask.
  static Result<DebuggerWindows> open(DebuggerPlace place,
                                      const std::vector<RemoteDebugger>& remote);

  // The file that waiting ranks write to. It exists as long as this process.
  std::string file() const;
  // Call this after the job. Closes the xterms, and waits until the user leaves a gdb in the
  // terminal.
  void close();

 private:
  explicit DebuggerWindows(Pipe pipe) : pipe_(std::move(pipe)) {}

  Pipe pipe_;
  pid_t process_ = 0;
};

}  // namespace gondwana::launch
