// How a process leaves a running job: it ends the job, another rank ends the job, or it cannot
// continue.
#pragma once

#include <string>

#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana {

// Tells launcher and peers that the whole job ends with `status`. Then ends this process by exit(),
// so exit handlers run and buffers are flushed.
[[noreturn]] void leave_job(int status);
// Every rank of the job ends itself in this way. Operations in flight are dropped.
void leave_with_others();
// For a thread that waits or polls: ends this process the same way if another rank has ended the
// job.
void check_for_end();
// Ranks whose calls never poll get SIGURG when the job ends, and when a rank has died in a job that
// continues. The kernel ignores it without a handler. Our handler calls each `divert`, which sends
// later calls of its door to check_for_end(). The handler may run inside a call.
void divert_calls_by(void (*divert)());
void catch_end_signal();
// The exit handler that runs last.
void take_leave(int status, void* unused);

[[noreturn]] void print_and_end(const std::string& sentence);
// The first rank that finds a common error reports it. The others give it time to do so.
[[noreturn]] void fail_together(CallName name, const Error& error);
// Called by a wait that has lost a peer. Returns only if the loss does not matter.
void report_peer_lost(const Error& error);

}  // namespace gondwana
