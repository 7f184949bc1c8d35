// A process that leaves one job for another, while no door uses the engine: it starts by a unique
// id, and may later return to the job of its launcher.
#pragma once

#include "bootstrap/unique_id/session.hpp"
#include "bootstrap/unique_id/unique_id.hpp"
#include "core/result.hpp"

namespace gondwana {

struct Process;

// A unique id for the start of one job. A thread of this process serves the ranks that come with
// it.
Result<UniqueIdBytes> make_unique_id();

// Joins the job of a unique id: the next engine is in it. After an error the process is in its
// earlier job, as before. The program's variables become symmetric if the program has one thread.
Result<void> join_job(const UniqueStart& start);

// Called for an engine that no unique id was passed for: returns to the job of the launcher, or to
// a job of this process alone.
Result<void> return_to_launcher(Process& self);

// From now on the servers of ids count in the present job what they refuse.
void count_refusals(Process& self);

// In a forked child: nothing of the parent's servers of ids.
void abandon_id_servers(Process& self);

}  // namespace gondwana
