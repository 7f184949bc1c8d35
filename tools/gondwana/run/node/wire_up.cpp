#include "run/node/wire_up.hpp"

#include <fmt/format.h>

namespace gondwana::launch {

Result<void> WireUp::create_memory() {
  Result<JobMemory> memory = JobMemory::create(share_, tag_, environment_);
  if (!memory) return memory.error();
  Result<Mapping> mapping = Mapping::shared(memory->control(), ControlLayout(share_).size());
  if (!mapping) return mapping.error();
  control_ = *std::move(mapping);
  memory_ = *std::move(memory);
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
  return joined_[rank] ? advance(rank, next_[rank], socket) : Progress::done;
}

// Its Welcome is that of the first rank.
WireUp::Progress WireUp::advance_agent(int socket) {
  return next_of_agent_ ? advance(0, *next_of_agent_, socket) : Progress::done;
}

WireUp::Progress WireUp::advance(std::uint32_t rank, std::uint32_t& next, int socket) {
  for (; next < memory_->items(); ++next) {
    const JobMemory::Item item = memory_->item(rank, next);
    switch (protocol::try_send(socket, item.message, memory_->tag(), item.attachment)) {
      case protocol::Sent::yes:
        break;
      case protocol::Sent::no_room:
        return Progress::wait_for_room;
      case protocol::Sent::too_many_under_way:
        return Progress::try_later;
      case protocol::Sent::peer_lost:
        next = memory_->items();
        return Progress::lost;
    }
  }
  return Progress::done;
}

const ControlPage* WireUp::page(std::uint32_t rank) const {
  if (!anybody_joined()) return nullptr;
  return reinterpret_cast<const ControlPage*>(control_.data() + ControlLayout(share_).page(rank));
}

const NodeHeader& WireUp::header() const {
  GONDWANA_ASSERT(anybody_joined(), share_.ranks);
  return *reinterpret_cast<const NodeHeader*>(control_.data());
}

NodeTable WireUp::nodes() const {
  GONDWANA_ASSERT(anybody_joined(), share_.nodes);
  return {control_.data(), ControlLayout(share_)};
}

RankState WireUp::state(std::uint32_t rank) const {
  const ControlPage* own = page(rank);
  return own == nullptr ? RankState::absent : own->state.load(std::memory_order_acquire);
}

}  // namespace gondwana::launch
