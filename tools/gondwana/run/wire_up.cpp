#include "run/wire_up.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace gondwana::launch {
namespace {

// Zero means "not known yet" to the ranks.
Result<std::uint64_t> random_tag() {
  std::uint64_t tag = 0;
  while (tag == 0) {
    if (::getrandom(&tag, sizeof(tag), 0) != sizeof(tag))
      return Error{Errc::refused, fmt::format("no random numbers: {}", std::strerror(errno))};
  }
  return tag;
}

}  // namespace

Result<void> WireUp::create_memory() {
  const Result<std::uint64_t> tag = random_tag();
  if (!tag) return tag.error();
  const Result<NodePlan> plan = plan_node(ranks_);
  if (!plan) return plan.error();
  const std::size_t control_size = ControlLayout(ranks_).size();
  Result<UniqueFd> control = create_memfd("gondwana-control", control_size);
  if (!control) return control.error();
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    Result<UniqueFd> arena = create_memfd("gondwana-arena", plan->arena_size());
    if (!arena) return arena.error();
    arenas_.push_back(*std::move(arena));
  }
  Result<Mapping> mapping = Mapping::shared(*control, control_size);
  if (!mapping) return mapping.error();
  job_tag_ = *tag;
  plan_ = *plan;
  control_memory_ = *std::move(control);
  control_ = *std::move(mapping);
  joined_.resize(ranks_);
  return {};
}

Result<void> WireUp::join(std::uint32_t rank) {
  if (!anybody_joined()) {
    if (Result<void> created = create_memory(); !created) return created;
  }
  if (state(rank) >= RankState::running) {
    return Error{Errc::refused,
                 fmt::format("rank {} asked to join the job a second time: only one program of a "
                             "rank can be part of a job; run the programs as jobs of their own",
                             rank)};
  }
  joined_[rank] = true;
  next_[rank] = 0;
  return {};
}

WireUp::Progress WireUp::advance(std::uint32_t rank, int socket) {
  for (std::uint32_t& next = next_[rank]; next <= ranks_; ++next) {
    const bool welcome = next == 0;
    const protocol::Message message =
        welcome ? protocol::Message(protocol::Welcome{job_tag_, rank, ranks_, plan_.stride})
                : protocol::Message(protocol::Arena{next - 1});
    const int attachment = welcome ? control_memory_.get() : arenas_[next - 1].get();
    switch (protocol::try_send(socket, message, job_tag_, attachment)) {
      case protocol::Sent::yes:
        break;
      case protocol::Sent::no_room:
        return Progress::wait_for_room;
      case protocol::Sent::too_many_under_way:
        return Progress::try_later;
      case protocol::Sent::peer_lost:
        next = ranks_ + 1;
        return Progress::lost;
    }
  }
  return Progress::done;
}

const ControlPage* WireUp::page(std::uint32_t rank) const {
  if (!anybody_joined()) return nullptr;
  return reinterpret_cast<const ControlPage*>(control_.data() + ControlLayout(ranks_).page(rank));
}

RankState WireUp::state(std::uint32_t rank) const {
  const ControlPage* own = page(rank);
  return own == nullptr ? RankState::absent : own->state.load(std::memory_order_acquire);
}

}  // namespace gondwana::launch
