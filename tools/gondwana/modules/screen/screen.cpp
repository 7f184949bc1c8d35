#include "modules/screen/screen.hpp"

#include <curses.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace gondwana::screen {
namespace {

constexpr int poll_interval_ms = 100;

// False once standard input is closed: no key arrives any more, and reads do not block.
bool has_keyboard() {
  pollfd input{.fd = STDIN_FILENO, .events = 0, .revents = 0};
  return ::poll(&input, 1, 0) == 0;
}

// Restores the terminal when it is destroyed.
class Terminal {
 public:
  Terminal() : screen_(::newterm(nullptr, stdout, stdin)) {
    if (screen_ == nullptr) return;
    ::cbreak();
    ::noecho();
    ::keypad(stdscr, TRUE);
    ::curs_set(0);
    timeout(poll_interval_ms);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (screen_ == nullptr) return;
    ::endwin();
    ::delscreen(screen_);
  }

  bool is_there() const { return screen_ != nullptr; }

  // Restores the terminal while `stop` runs. The next page redraws everything.
  static void lend(const std::function<void()>& stop) {
    ::endwin();
    stop();
    ::clearok(curscr, TRUE);
  }

 private:
  SCREEN* screen_;
};

class View {
 public:
  void move(int key) {
    const int page = std::max(1, LINES - 5);
    if (key == KEY_DOWN) ++first_;
    if (key == KEY_UP) --first_;
    if (key == KEY_NPAGE) first_ += page;
    if (key == KEY_PPAGE) first_ -= page;
    if (key == KEY_HOME) first_ = 0;
  }

  void draw(const Page& page) {
    const int headers = static_cast<int>(page.headers);
    const int rows = static_cast<int>(page.lines.size()) - headers;
    first_ = std::clamp(first_, 0, std::max(0, rows - (LINES - 1 - headers)));
    erase();
    for (int y = 0; y < LINES - 1; ++y) {
      const int line = y < headers ? y : y + first_;
      if (line >= headers + rows) break;
      const bool is_title = y == headers - 1;
      if (is_title) attron(A_REVERSE);
      std::string text = page.lines[static_cast<std::size_t>(line)];
      if (is_title) text.resize(std::max(text.size(), static_cast<std::size_t>(COLS)), ' ');
      mvaddnstr(y, 0, text.c_str(), COLS);
      if (is_title) attroff(A_REVERSE);
    }
    attron(A_BOLD);
    mvaddnstr(LINES - 1, 0, page.foot.c_str(), COLS - 1);
    attroff(A_BOLD);
    refresh();
  }

 private:
  int first_ = 0;  // first visible line below the headers
};

// Returns false if the signal ends the process.
bool continues_after(int signal, const Show& show) {
  if (signal == SIGTSTP) Terminal::lend(show.stop);
  if (signal == SIGCONT) Terminal::lend([] {});  // others may have drawn, or changed terminal modes
  return signal == 0 || signal == SIGTSTP || signal == SIGCONT;
}

Result<int> run(const Show& show) {
  const Terminal terminal;
  if (!terminal.is_there())
    return Error{Errc::refused, "this terminal is not known (TERM); use --once"};
  View view;
  for (int key = 0; key != 'q' && has_keyboard();) {
    const int signal = show.take_signal();
    if (!continues_after(signal, show)) return signal;
    view.draw(show.next(key));
    key = getch();
    if (key == ERR) key = 0;
    view.move(key);
  }
  return 0;
}

}  // namespace
}  // namespace gondwana::screen

extern "C" [[gnu::visibility("default")]] void gondwana_screen_run(
    const gondwana::screen::Show& show, gondwana::Result<int>* done) {
  *done = gondwana::screen::run(show);
}
