// What the screen module gives to `gondwana top`: a terminal, by ncurses. One build makes both, so
// C++ types may cross.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::screen {

// What is to be seen, a line each; the first `headers` lines stay where they are.
struct Page {
  std::vector<std::string> lines;
  std::size_t headers = 0;
  std::string foot;  // the last line of the screen
};

struct Show {
  std::function<Page(int key)> next;  // gets a key, or 0 ten times a second
  std::function<int()> take_signal;   // one that has come, or 0
  std::function<void()> stop;         // until SIGCONT, as SIGTSTP wants it
};

inline constexpr const char* screen_symbol = "gondwana_screen_run";

// Shows pages until `q` is typed, or a signal comes that ends the process. Arrows and page keys
// move the lines below the headers. `done` is that signal, or 0. The terminal is as it was before
// when this returns, and while the process is stopped.
using RunScreen = void (*)(const Show& show, Result<int>* done);

}  // namespace gondwana::screen
