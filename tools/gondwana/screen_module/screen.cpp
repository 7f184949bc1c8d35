#include "screen_module/screen.hpp"

#include <curses.h>

#include <algorithm>
#include <cstdio>

namespace gondwana::top {
namespace {

constexpr int look_again_ms = 100;

// The terminal is as it was when this is gone.
class Terminal {
 public:
  Terminal() : screen_(::newterm(nullptr, stdout, stdin)) {
    if (screen_ == nullptr) return;
    ::cbreak();
    ::noecho();
    ::keypad(stdscr, TRUE);
    ::curs_set(0);
    timeout(look_again_ms);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (screen_ == nullptr) return;
    ::endwin();
    ::delscreen(screen_);
  }

  bool is_there() const { return screen_ != nullptr; }

 private:
  SCREEN* screen_;
};

class View {
 public:
  void move(int key) {
    const int page = std::max(1, LINES - 4);
    if (key == KEY_DOWN) ++first_;
    if (key == KEY_UP) --first_;
    if (key == KEY_NPAGE) first_ += page;
    if (key == KEY_PPAGE) first_ -= page;
    if (key == KEY_HOME) first_ = 0;
  }

  void draw(const Page& page) {
    const int headers = static_cast<int>(page.headers);
    const int rows = static_cast<int>(page.lines.size()) - headers;
    first_ = std::clamp(first_, 0, std::max(0, rows - (LINES - headers)));
    erase();
    for (int y = 0; y < LINES; ++y) {
      const int line = y < headers ? y : y + first_;
      if (line >= headers + rows) break;
      const bool is_title = y == headers - 1;
      if (is_title) attron(A_REVERSE);
      std::string text = page.lines[static_cast<std::size_t>(line)];
      if (is_title) text.resize(std::max(text.size(), static_cast<std::size_t>(COLS)), ' ');
      mvaddnstr(y, 0, text.c_str(), COLS);
      if (is_title) attroff(A_REVERSE);
    }
    refresh();
  }

 private:
  int first_ = 0;  // of the lines below the headers
};

Result<void> run(const std::function<Page(int key)>& next) {
  const Terminal terminal;
  if (!terminal.is_there())
    return Error{Errc::refused, "this terminal is not known (TERM); use --once"};
  View view;
  for (int key = 0; key != 'q';) {
    view.draw(next(key));
    key = getch();
    if (key == ERR) key = 0;
    view.move(key);
  }
  return {};
}

}  // namespace
}  // namespace gondwana::top

extern "C" [[gnu::visibility("default")]] void gondwana_screen_run(
    const std::function<gondwana::top::Page(int key)>& next, gondwana::Result<void>* done) {
  *done = gondwana::top::run(next);
}
