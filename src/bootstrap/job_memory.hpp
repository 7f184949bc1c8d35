// The memory of a job on this node, in the process that makes it, and the messages that hand it to
// the ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "core/variables.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

// Unguessable. Never 0, which means "not known yet" to a rank.
Result<std::uint64_t> random_number();

// A short form of the tag, which tools use.
std::uint32_t job_number(std::uint64_t tag);

class JobMemory {
 public:
  // `tag`: the job's tag, if others have chosen it; 0: a new one. `environment`: of the ranks,
  // which may ask for huge pages. If too few are free, the plan has fewer or none.
  static Result<JobMemory> create(const NodeShare& share, std::uint64_t tag = 0,
                                  const Environment& environment = {});

  std::uint64_t tag() const { return tag_; }
  const NodePlan& plan() const { return plan_; }
  const UniqueFd& control() const { return control_; }

  struct Item {
    protocol::Message message;
    int attachment;
  };

  // Returns the items that each rank gets, from number 0 to the last: the Welcome with the control
  // memory, then the descriptors that NodePlan::descriptors() counts. `to_rank` is a number on the
  // node, and `session` the ranks that start with it.
  std::uint32_t items() const { return plan_.descriptors() + 1; }
  Item item(std::uint32_t to_rank, std::uint32_t number, const Session& session) const;
  Item item(std::uint32_t to_rank, std::uint32_t number) const {
    return item(to_rank, number, plan_.first_session());
  }

  // Empties parts of an arena, and its part of the huge pages unless its memory is kept.
  Result<void> renew(std::uint32_t slot, Replacement replacement) const;

  // For a process that is a rank itself. Call each once; nothing is sent afterwards. The
  // descriptors have the order of NodePlan::descriptors().
  UniqueFd take_control() { return std::move(control_); }
  UniqueFd take_arena(std::uint32_t number) { return std::move(arenas_[number]); }

 private:
  JobMemory(std::uint64_t tag, const NodePlan& plan, UniqueFd control)
      : tag_(tag), plan_(plan), control_(std::move(control)) {}

  void take_huge_pages(const Environment& environment);

  std::uint64_t tag_;
  NodePlan plan_;
  UniqueFd control_;
  std::vector<UniqueFd> arenas_;  // followed by the other descriptors
};

}  // namespace gondwana
