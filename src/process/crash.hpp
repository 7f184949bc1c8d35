// What a rank says when it dies of a signal.
#pragma once

#include <cstdint>

#include "core/options.hpp"

namespace gondwana {

struct OnCrash {
  Backtrace stack = Backtrace::none;
  bool freezes = false;  // waits for a debugger first
  // What is said of an address that the crash is about, from ", " on, or nothing. It takes no lock.
  const char* (*tell_of_address)(const void* address) = nullptr;
};

// From here on a crash is told, before the signal does what it does by default: the launcher sees
// the signal, and a core dump is as without. Signals that have a handler are left alone. The
// calling thread gets a stack for handlers, so that it can tell of a stack that ran over.
//
// Whole stacks are printed at SIGURG, too, and the program goes on. By default the
// kernel ignores that signal: it does no harm to a rank that has no handler.
void catch_crashes(OnCrash what);

// Stacks are printed by `print` instead; 0: it did.
void print_crashes_by(int (*print)(int fd));

// The process has said why it ends, and a signal that ends it has nothing to add.
void note_failure();

// Where the program was when the signal came, for the handler; 0: there was none.
std::uintptr_t place_of_crash();

}  // namespace gondwana
