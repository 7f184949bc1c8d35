// The memory of a job on this node, in the hands of the process that makes it, and the messages by
// which the ranks get it.
#pragma once

#include <cstdint>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "core/variables.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

// Nobody can guess it. Never 0, which means "not known yet" to a rank.
Result<std::uint64_t> random_number();

// What tools know the job with this tag by.
std::uint32_t job_number(std::uint64_t tag);

class JobMemory {
 public:
  // `tag`: that of the job where others have chosen it; 0: a new one. `environment`: of the ranks,
  // which may ask for huge pages; where there are too few, the plan has fewer or none.
  static Result<JobMemory> create(const NodeShare& share, std::uint64_t tag = 0,
                                  const Environment& environment = {});

  std::uint64_t tag() const { return tag_; }
  const NodePlan& plan() const { return plan_; }
  const UniqueFd& control() const { return control_; }

  struct Item {
    protocol::Message message;
    int attachment;
  };

  // What each rank gets, from item 0 to the last: the Welcome with the control memory, then what
  // NodePlan::descriptors() counts. Ranks are those of the node, from 0.
  std::uint32_t items() const { return plan_.descriptors() + 1; }
  Item item(std::uint32_t to_rank, std::uint32_t number) const;

  // For a process that is a rank itself. Once each, and nothing is sent after that. What is behind
  // the arenas has numbers behind the ranks.
  UniqueFd take_control() { return std::move(control_); }
  UniqueFd take_arena(std::uint32_t number) { return std::move(arenas_[number]); }

 private:
  JobMemory(std::uint64_t tag, const NodePlan& plan, UniqueFd control)
      : tag_(tag), plan_(plan), control_(std::move(control)) {}

  void take_huge_pages(const Environment& environment);

  std::uint64_t tag_;
  NodePlan plan_;
  UniqueFd control_;
  std::vector<UniqueFd> arenas_;  // and what is behind them
};

}  // namespace gondwana
