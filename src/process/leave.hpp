// How a process leaves a job that others are part of: because it wants the end of the job, because
// another rank does, or because it cannot go on.
#pragma once

#include <string>

#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana {

// Tells launcher and peers that the whole job ends with `status`, and ends this process: by exit(),
// so that handlers and buffers have their turn.
[[noreturn]] void leave_job(int status);
// All ranks end, each by itself: what is still under way is for nobody.
void leave_with_others();
// By a thread that waits or polls: ends this process, likewise, where another rank has ended the
// job.
void look_for_end();
// A rank that makes calls which never look is sent SIGURG, which the kernel ignores where nobody
// handles it. By its handler, each `divert` sends the later calls of its door to look_for_end(). It
// may run in the midst of a call.
void divert_calls_by(void (*divert)());
void catch_end_signal();
// The last exit handler.
void take_leave(int status, void* unused);

[[noreturn]] void say_and_end(const std::string& sentence);
// A fault that all ranks share is said by the first that finds it; the others leave it the time.
[[noreturn]] void fail_together(CallName name, const Error& error);
// By a wait that has lost a peer. Returns only where that is no loss.
void say_peer_lost(const Error& error);

}  // namespace gondwana
