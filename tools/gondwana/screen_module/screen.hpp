// What the screen module gives to `gondwana top`: a terminal, by ncurses. One build makes both, so
// C++ types may cross.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::top {

// What is to be seen, a line each; the first `headers` lines stay where they are.
struct Page {
  std::vector<std::string> lines;
  std::size_t headers = 0;
};

inline constexpr const char* screen_symbol = "gondwana_screen_run";

// Shows pages until `q` is typed. `next` gets a key, or 0 ten times a second. Arrows and page keys
// move the lines below the headers.
using RunScreen = void (*)(const std::function<Page(int key)>& next, Result<void>* done);

}  // namespace gondwana::top
