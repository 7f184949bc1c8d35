// The report that a rank prints when a signal kills it.
#pragma once

#include <cstdint>

#include "core/options.hpp"

namespace gondwana {

struct OnCrash {
  Backtrace stack = Backtrace::none;
  bool freezes = false;  // first waits for a debugger
  // Describes the crash address, starting with ", ", or returns an empty text. Takes no lock.
  const char* (*describe_address)(const void* address) = nullptr;
};

// From now on a crash is reported before the signal's default action. The launcher still sees the
// signal, and core dumps are unchanged. Signals that have a handler are left alone. The calling
// thread gets a signal stack, so that a stack overflow can be reported.
//
// SIGURG prints whole stacks, too, and the program continues. By default the kernel ignores SIGURG,
// so it does not harm a rank without a handler.
void catch_crashes(OnCrash what);

// From now on `print` prints the stacks. It returns 0 on success.
void print_crashes_by(int (*print)(int fd));

// The process has reported why it ends. If a signal ends it, no further report is printed.
void note_failure();

// The program's address at the signal, for the handler; 0 outside of one.
std::uintptr_t place_of_crash();

}  // namespace gondwana
