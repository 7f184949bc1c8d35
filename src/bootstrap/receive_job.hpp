// The last step of joining: from a socket to the process that made the memory, or from memory that
// we made ourselves, to our place in the job.
#pragma once

#include <cstdint>
#include <string_view>

#include "bootstrap/job_memory.hpp"
#include "bootstrap/join.hpp"
#include "core/result.hpp"

namespace gondwana {

struct JobSource {
  int socket;
  std::uint64_t tag;      // of its messages; 0: unknown before the Welcome
  int timeout_ms;         // for each message
  std::string_view name;  // for messages; static storage
};

// Reads the Welcome. The arenas follow when they are asked for, so the socket must stay open until
// the last has come. The link to the launcher is left empty.
Result<Membership> receive_job(const JobSource& source);

// The place of rank 0, which made the memory.
Membership keep_job(JobMemory memory);

}  // namespace gondwana
