// The work done while a thread of this process waits long, in a call of any door: other threads
// take their turns, and MPI makes progress. MPI makes progress only within its calls, and the
// awaited process may itself wait for an MPI message that this process has begun to send.
#pragma once

namespace gondwana::armci {

// Waits do this work between the two calls. The first precedes the opening of the door, the second
// follows its closing.
void accompany_waits();
void leave_waits_alone();

// The same for a call that does not wait.
void step_companion();

}  // namespace gondwana::armci
