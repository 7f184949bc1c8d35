// A gdb for each rank that waits for one: in the terminal of the launcher if there is only one
// such rank, in a window of tmux, or in an xterm.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/pipe.hpp"
#include "core/result.hpp"

namespace gondwana::launch {

// What a rank that waits writes to the launcher.
struct WaitingRank {
  pid_t process = 0;
  std::uint32_t rank = 0;
};

enum class DebuggerPlace {
  printed,  // nowhere: the rank says what to type
  terminal,
  tmux,
  xterm
};

// By how many ranks there are, and what the environment offers.
DebuggerPlace choose_place(std::uint32_t ranks);

// The gdb of a rank on another host, which ssh starts there.
struct RemoteDebugger {
  std::uint32_t rank = 0;
  std::vector<std::string> words;  // to start it
};

// A process of its own, outside of the job: it opens the windows and waits until they are closed.
class DebuggerWindows {
 public:
  // Opens those for `remote` at once, others when ranks of this host ask.
  static Result<DebuggerWindows> open(DebuggerPlace place,
                                      const std::vector<RemoteDebugger>& remote);

  // What ranks open to say that they wait. It exists as long as this process.
  std::string file() const;
  // After the job: closes the xterms, and waits until the user has left a gdb in the terminal.
  void close();

 private:
  explicit DebuggerWindows(Pipe pipe) : pipe_(std::move(pipe)) {}

  Pipe pipe_;
  pid_t process_ = 0;
};

}  // namespace gondwana::launch
