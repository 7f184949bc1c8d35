// The interface of the screen module for `gondwana top`: a terminal that uses ncurses. One build
// makes both, so they can share C++ types.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::screen {

// The lines to show; the first `headers` lines do not scroll.
struct Page {
  std::vector<std::string> lines;
  std::size_t headers = 0;
  std::string foot;  // the last line of the screen
};

struct Show {
  std::function<Page(int key)> next;  // receives a key, or 0 ten times a second
  std::function<int()> take_signal;   // returns a pending signal, or 0
  std::function<void()> stop;         // stops the process until SIGCONT, as SIGTSTP requests
};

inline constexpr const char* screen_symbol = "gondwana_screen_run";

// Shows pages until `q` is typed or a signal arrives that ends the process; `done` is that signal,
// or 0. Arrows and page keys scroll the lines below the headers. The terminal is restored on
// return, and while the process is stopped.
using RunScreen = void (*)(const Show& show, Result<int>* done);

}  // namespace gondwana::screen
