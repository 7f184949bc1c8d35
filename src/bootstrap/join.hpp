// Who am I, who are my peers, and where is our memory? Asked once, before anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/node_plan.hpp"
#include "core/options.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// The socket to the guardian that started this rank; empty for a program started alone.
class LauncherLink {
 public:
  LauncherLink() = default;
  LauncherLink(UniqueFd socket, std::uint64_t job_tag)
      : socket_(std::move(socket)), job_tag_(job_tag) {}

  explicit operator bool() const { return static_cast<bool>(socket_); }

  // Asks for the end of the whole job with `status`. The caller then ends itself.
  Result<void> end_job(int status) const;

 private:
  UniqueFd socket_;
  std::uint64_t job_tag_ = 0;
};

struct Membership {
  Rank rank{0};
  std::uint32_t ranks = 1;
  NodePlan plan;
  UniqueFd control;
  // The memfds of the arenas of rank 0, 1, 2 ..., each to be asked for once and in this order.
  std::function<Result<UniqueFd>(std::uint32_t rank)> next_arena;
  LauncherLink launcher;
};

// Through `gondwana run` where its variables are set, else alone. An error where another launcher
// started this process as one of several: better none than many jobs of one rank each.
Result<Membership> join(const Environment& environment);

}  // namespace gondwana
