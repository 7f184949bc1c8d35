// Locks of the whole job, each one symmetric `long`, zero on every rank at first.
//
// The long is cut into two 32-bit words of a QueueLock: the first, at the lock's home rank, is the
// tail; the second, at every rank, that rank's node. The home follows from the address, so that the
// tails of many locks lie on many ranks. Where ranks have several threads, these take turns first.
//
// Calls return false or nothing where they failed; the default lane then holds the sentence. They
// may be made by many threads where the engine may.
#pragma once

#include <optional>

#include "engine/engine.hpp"

namespace gondwana {

// Waits for it, behind all who came before. What holders before put is visible then.
bool set_job_lock(Engine& engine, CallName call, long* lock);

// Takes it where it is free: true; false where it is not.
std::optional<bool> test_job_lock(Engine& engine, CallName call, long* lock);

// Completes all operations of the default lane, then gives it to the next in the queue.
bool clear_job_lock(Engine& engine, CallName call, long* lock);

}  // namespace gondwana
