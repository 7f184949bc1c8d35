#include "engine/collectives/reference/group.hpp"

#include <bit>
#include <cstring>
#include <span>

namespace gondwana {
namespace {

std::atomic_ref<std::uint64_t> cell_at(std::byte* place) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(place));
}

}  // namespace

std::uint32_t rounds_for(std::uint32_t size) {
  return static_cast<std::uint32_t>(std::bit_width(size - 1));
}

Group::Group(const CollectiveResources& with, const Team& members, std::size_t flags_offset,
             CallName call)
    : with_(with), members_(members), flags_offset_(flags_offset), call_(call) {
  GONDWANA_ASSERT(size() <= max_size, size());
}

Group::Group(const CollectiveResources& with, Team& team, TeamBarrier how, CallName call)
    : Group(with, team, system_area::team_flags.at(team.number), call) {
  team_ = &team;
  barrier_ = how;
}

Group::~Group() {
  if (with_.remote != nullptr) with_.remote->depart(call_);
}

std::atomic_ref<std::uint64_t> Group::mine(Flag flag) const {
  return cell_at(with_.memory.window(with_.me) + offset_of(flag));
}

void Group::raise(std::uint32_t member, Flag flag) {
  const Rank rank = rank_of(member);
  if (with_.rma.reach().covers(rank)) {
    std::byte* window = with_.rma.reach().window(rank);
    cell_at(window + offset_of(flag)).fetch_add(1);  // its release pairs with take()
    Reach::wake(window);
    return;
  }
  AtomicRequest add{AtomicOp::add, AtomicType::uint64};
  add.operand = 1;
  if (!with_.remote->begin_uncounted(with_.lane, {rank, offset_of(flag)}, add)) well_ = false;
}

void Group::raise_on_others(Flag flag) {
  for (std::uint32_t distance = 1; distance < size(); ++distance) raise(right(distance), flag);
}

void Group::take(Flag flag, std::uint32_t from) {
  take(flag, 1, index(rank_of(from)));
}

void Group::take_from_others(Flag flag) {
  take(flag, size() - 1, Waiting::any_rank);
}

// A set is no team, so its members are checked here. A death during the wait is unknown to the
// program.
void Group::refuse_dead() const {
  const DeathList& deaths = with_.waiter.losses().list();
  if (const std::uint32_t count = deaths.size(); count != 0 && has_dead(deaths, members_))
    throw HopelessWait{count};
}

// Remote flags ring no bell, and a flag may be in a user's array, so the wait is one on program
// memory.
void Group::take(Flag flag, std::uint32_t times, std::uint32_t peer) {
  const std::atomic_ref<std::uint64_t> cell = mine(flag);
  const bool is_set = team_ == nullptr;
  if (is_set) refuse_dead();
  const auto raised = [&] { return cell.load(std::memory_order_acquire) >= times; };
  with_.waiter.until({.call = call_,
                      .peer = peer,
                      .team = is_set ? Waiting::no_team : members_.number,
                      .on_program_memory = true,
                      .word = with_.memory.window(with_.me) + offset_of(flag)},
                     raised);
  cell.fetch_sub(times, std::memory_order_relaxed);
}

// Dissemination: in round k a member signals the member 2^k after it and waits for the one 2^k
// before it. After log2(size) rounds every member has heard, directly or indirectly, from all.
void Group::barrier() {
  if (barrier_ != nullptr) return barrier_(*team_, call_);
  for (std::uint32_t round = 0; round < rounds_for(size()); ++round) {
    raise(right(1U << round), barrier_round(round));
    take(barrier_round(round), left(1U << round));
  }
}

void Group::get(std::uint32_t member, void* dest, const void* source, std::size_t size) {
  if (size == 0) return;
  if (member == me()) {
    if (dest != source) std::memmove(dest, source, size);
    return;
  }
  if (!with_.rma.get(with_.lane, rank_of(member), dest, source, size)) well_ = false;
}

void Group::get_strided(std::uint32_t member, void* dest, const void* source,
                        const Exchange& shape) {
  const auto [width, count, strides] = shape;
  if (strides.target == 1 && strides.source == 1) return get(member, dest, source, count * width);
  const Blocks blocks{.width = width, .size = width, .count = count, .strides = strides};
  if (!with_.rma.get_strided(with_.lane, rank_of(member), dest, source, blocks)) well_ = false;
}

bool Group::is_symmetric(const char* what, const void* array, std::size_t size) {
  return size == 0 || with_.rma.check_symmetric(with_.lane, what, array, size);
}

void Group::write_note(std::uint32_t note, std::uint64_t value) {
  mine(Flag(flags - notes + note)).store(value, std::memory_order_release);
}

std::uint64_t Group::note_of(std::uint32_t member, std::uint32_t note) {
  const Rank rank = rank_of(member);
  const std::size_t offset = offset_of(Flag(flags - notes + note));
  if (with_.rma.reach().covers(rank))
    return cell_at(with_.rma.reach().window(rank) + offset).load();
  std::uint64_t value = 0;
  if (!with_.remote->get_uncounted(with_.lane, std::as_writable_bytes(std::span(&value, 1)),
                                   {rank, offset}))
    well_ = false;
  return value;
}

}  // namespace gondwana
