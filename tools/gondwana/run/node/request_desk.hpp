// Takes requests of `gondwana grow` and `gondwana shrink` for the job (link/job_request.hpp), from
// processes of the job's own user. Others are refused in words, and counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "bootstrap/protocol.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "link/job_request.hpp"
#include "run/io/poller.hpp"

namespace gondwana::launch {

class RequestDesk {
 public:
  // Askers have these numbers and higher ones, which no rank has.
  static constexpr std::uint32_t first_asker = protocol::max_ranks;

  struct Handlers {
    std::function<std::uint32_t()> job_number;  // 0: no rank has joined
    // Leads to one call of answer().
    std::function<void(std::uint32_t asker, link::JobRequest&&)> take;
  };

  // `poller` must outlive this object.
  RequestDesk(Poller& poller, Handlers handlers)
      : poller_(poller), handlers_(std::move(handlers)) {}

  // After a failure the job runs without the desk.
  Result<void> open();
  void answer(std::uint32_t asker, const link::JobAnswer& answer);
  // "2 requests to the job were refused: ..."; empty if there was none.
  std::string describe_refused() const;

 private:
  void admit();
  void read(std::uint32_t asker);
  void refuse(std::uint32_t asker, const std::string& reason);

  Poller& poller_;
  Handlers handlers_;
  UniqueFd door_;
  std::map<std::uint32_t, UniqueFd> askers_;
  std::uint32_t next_asker_ = first_asker;
  std::uint32_t strangers_ = 0;
  std::uint32_t invalid_ = 0;  // of another build or job, or of no known form
};

}  // namespace gondwana::launch
