// What goes on while a thread of this process waits long, in a call of any door: other threads take
// their turns, and MPI moves on. MPI does so only within its calls, and a process that this one
// waits for may wait for a message of MPI that this one has begun to send.
#pragma once

namespace gondwana::armci {

// From when the door begins to open until it is closed.
void accompany_waits();
void leave_waits_alone();

// The same for a call that does not wait.
void let_others_go_on();

}  // namespace gondwana::armci
