// Requests of a user to a running job: `gondwana grow` and `gondwana shrink`. A tool sends one to
// the guardian of the job on this host and gets one answer.
//
// The guardian listens on an abstract socket, with a random name. It is no file, and the tool finds
// it among the descriptors of the guardian, which only processes of the same user see.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::link {

struct GrowJob {
  std::uint32_t ranks = 0;
  std::string folder;              // the working folder
  std::vector<std::string> words;  // program and arguments; empty: as the ranks of the job
  std::string hosts = {};          // a list as --hosts takes; empty: the hosts of the job
};
struct ShrinkJob {
  std::vector<std::uint32_t> ranks;
};

struct JobRequest {
  std::uint32_t job = 0;  // its number, see NodeFacts
  std::variant<GrowJob, ShrinkJob> what;
};

struct JobAnswer {
  bool is_refused = false;
  std::string text;
};

inline constexpr std::size_t longest_request = 64 * 1024;

std::string write_request(const JobRequest& request);
// Fails if the bytes come from another build, belong to another job, or are no request.
Result<JobRequest> read_request(std::string_view bytes, std::uint32_t job);
std::string write_answer(const JobAnswer& answer);
std::optional<JobAnswer> read_answer(std::string_view bytes);

// A socket of this process that listens for requests.
Result<UniqueFd> listen_for_requests();
// The answer of the guardian with that process number.
Result<JobAnswer> ask_guardian(pid_t guardian, const JobRequest& request);

}  // namespace gondwana::link
