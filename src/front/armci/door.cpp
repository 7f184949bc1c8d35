#include "front/armci/door.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/address_kind.hpp"
#include "core/more_ranks.hpp"
#include "front/armci/mpi.hpp"
#include "process/process.hpp"

namespace gondwana::armci {

void give_up(CallName call, const std::string& sentence) {
  say_and_end(fmt::format("{}: {}", call, sentence));
}

namespace {

// `named`: the process that the call names.
std::string what_it_is(Engine& engine, Rank named, const void* address) {
  if (const auto rank = engine.symmetric().rank_at(address))
    return *rank == named ? "" : fmt::format("; it is memory of process {}", index(*rank));
  if (engine.kinds().has_known(address))
    return "; it is memory of a device, which calls name at their own side only";
  const std::string what = look_at_address(address).what;
  return what.empty() ? what : "; it is " + what;
}

}  // namespace

Door::Door(Engine& engine, CallName call)
    : engine_(engine),
      counters_(engine.default_lane().counters()),
      reach_(engine.rma().reach()),
      copies_(engine.rma().copies()),
      has_devices_(engine.kinds().has_devices()),
      own_arena_(engine.memory().window(engine.rank())),
      arena_size_(engine.memory().plan().arena_size()),
      heap_(engine.segments()),
      scratch_(engine.collectives().resources()),
      roster_(engine.memory().roster()),
      mailbox_(*this),
      mutexes_(*this),
      transfers_(*this) {
  notified_.resize(ranks());
  make_world(call);
}

Door::~Door() = default;

// Every process shows its place. Between the two barriers the others read it.
void Door::make_world(CallName call) {
  Team& all = engine_.teams().world();
  const std::size_t size = sizeof(ArmciWords) + ranks() * sizeof(std::uint64_t);
  std::byte* words = heap_.allocate(size);
  if (words == nullptr) give_up(call, "no memory of the segments of this process is left");
  std::memset(words, 0, size);
  auto& mine = shared_at<ArmciPlace>(own_arena_, system_area::armci_place.offset);
  mine = {take_scratch(call), static_cast<std::uint64_t>(words - own_arena_)};
  check(call, engine_.collectives().barrier(all, call));
  std::vector<StagedPlace> places;
  for (const Rank rank : all_ranks()) {
    const ArmciPlace place = place_of(call, rank);
    places.push_back(place.collectives);
    words_.push_back(place.words);
  }
  world_ = std::make_unique<Group>(*this, all_ranks(), std::move(places));
  check(call, engine_.collectives().barrier(all, call));
}

StagedPlace Door::take_scratch(CallName call) {
  const std::optional<StagedPlace> place = scratch_.take();
  if (!place)
    give_up(call, fmt::format("no {} bytes of memory are left for what the members of a group show "
                              "each other; free groups or arrays",
                              scratch_.size_of_place()));
  return *place;
}

ArmciPlace Door::place_of(CallName call, Rank rank) const {
  constexpr std::size_t offset = system_area::armci_place.offset;
  if (is_near(rank)) return shared_at<ArmciPlace>(engine_.memory().window(rank), offset);
  ArmciPlace place;
  check(call,
        engine_.remote().get(lane(), std::as_writable_bytes(std::span(&place, 1)), {rank, offset}));
  return place;
}

std::byte* Door::window_beside_devices(int proc, const void* address, std::size_t size,
                                       const void* own) const {
  if (!has_devices_ || may_be_on_device(own)) return nullptr;
  return window_of(reach_, proc, address, size);
}

void Door::copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const {
  if (!may_be_on_device(to) && !may_be_on_device(from)) {
    std::memmove(to, from, size);
    return;
  }
  const Result<void> copied = engine_.kind_access()->any_memory().copy(
      static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size);
  if (!copied) give_up(call, copied.error().text);
}

void OnHost::take_copy() {
  copy_.resize(array_.size());
  if (use_ != Use::written) door_.copy(call_, copy_.data(), array_.data(), copy_.size());
}

std::uint64_t Door::offset_in_own_arena(Bytes memory) const {
  const auto offset = static_cast<std::size_t>(memory.data() - own_arena_);
  const bool is_inside = offset <= arena_size_ && memory.size() <= arena_size_ - offset;
  return is_inside ? offset : StagedTeam::nowhere;
}

// A process may name any memory of its own, and symmetric memory of all. A symmetric variable of
// its own is named as others do: the place decides which lock an accumulate takes.
Door::Place Door::find_elsewhere(CallName call, int proc, const void* address,
                                 std::size_t size) const {
  const Rank rank = checked_rank(call, proc);
  auto* here = static_cast<std::byte*>(const_cast<void*>(address));
  std::size_t offset = engine_.symmetric().ranges().offset_of(address, size);
  if (offset == SymmetricRanges::nowhere && rank == this->rank()) return {here, {}};
  if (offset == SymmetricRanges::nowhere && !is_near(rank))
    offset = offset_in_own_arena({here, size});
  if (offset == SymmetricRanges::nowhere || offset == StagedTeam::nowhere)
    give_up(call, fmt::format("{} bytes at {}: not memory that ARMCI_Malloc has returned for "
                              "process {}{}",
                              size, fmt::ptr(address), proc, what_it_is(engine_, rank, address)));
  if (is_near(rank)) return {engine_.memory().window(rank) + offset, {}};
  return {nullptr, {rank, offset}};
}

Rank Door::checked_rank(CallName call, int proc) const {
  if (proc < 0 || static_cast<std::uint32_t>(proc) >= ranks())
    give_up(call,
            fmt::format("process {}: the job has {} process{}, 0 to {}{}", proc, ranks(),
                        ranks() == 1 ? "" : "es", ranks() - 1,
                        start_with_more(ranks(), proc, uses_mpi() ? "mpirun" : "gondwana run")));
  return Rank(static_cast<std::uint32_t>(proc));
}

void Door::fail(CallName call) const {
  const std::optional<Error> error = lane().take_error();
  give_up(call, error ? error->text : "failed");
}

std::uint64_t Door::request(CallName call, Rank rank, std::uint64_t offset,
                            const AtomicRequest& request) const {
  if (is_near(rank)) {
    std::byte* arena = engine_.memory().window(rank);
    const std::uint64_t old = find_executor(request.op, request.type)(arena + offset, request);
    if (request.op != AtomicOp::fetch) Reach::wake(arena);
    return old;
  }
  const std::optional<std::uint64_t> old =
      engine_.remote().request(lane(), {rank, offset}, request, call);
  check(call, old.has_value());
  return *old;
}

void Door::store(CallName call, Rank rank, std::uint64_t offset, std::uint64_t word) const {
  if (!is_near(rank)) {
    check(call, engine_.remote().put(lane(), {rank, offset}, std::as_bytes(std::span(&word, 1))));
    return;
  }
  std::byte* arena = engine_.memory().window(rank);
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(arena + offset))
      .store(word, std::memory_order_release);
  Reach::wake(arena);
}

namespace {

// Tags of messages of this library.
constexpr int place_of_member = 1;
constexpr int places_of_group = 2;

}  // namespace

// The first member collects where the others show their data, and tells all.
Group& Door::make_group(CallName call, std::vector<Rank> members) {
  const auto mine = std::ranges::find(members, rank());
  std::vector<StagedPlace> places;
  if (mine != members.end() && members.size() > 1) {
    constexpr auto kind = Mailbox::Kind::library;
    places.resize(members.size());
    const StagedPlace place = take_scratch(call);
    const Rank leader = members.front();
    const auto all = std::as_writable_bytes(std::span(places));
    if (leader == rank()) {
      places.front() = place;
      for (std::size_t i = 1; i < members.size(); ++i)
        mailbox_.take(call, mailbox_.wait(call, kind, place_of_member, members[i]),
                      std::as_writable_bytes(std::span(&places[i], 1)));
      for (std::size_t i = 1; i < members.size(); ++i)
        mailbox_.send(call, kind, places_of_group, all, members[i]);
    } else {
      mailbox_.send(call, kind, place_of_member, std::as_bytes(std::span(&place, 1)), leader);
      mailbox_.take(call, mailbox_.wait(call, kind, places_of_group, leader), all);
    }
  }
  return *groups_.emplace_back(
      std::make_unique<Group>(*this, std::move(members), std::move(places)));
}

Group* Door::find_group(const void* address, std::uint64_t number) const {
  const auto is_meant = [&](const Group& group) {
    return &group == address && group.number() == number;
  };
  if (is_meant(*world_)) return world_.get();
  const auto found =
      std::ranges::find_if(groups_, [&](const auto& each) { return is_meant(*each); });
  return found == groups_.end() ? nullptr : found->get();
}

void Door::remove(Group& group) {
  groups_.remove_if([&](const auto& each) { return each.get() == &group; });
}

std::vector<Rank> Door::all_ranks() const {
  std::vector<Rank> all(ranks());
  for (std::uint32_t each = 0; each < ranks(); ++each) all[each] = Rank(each);
  return all;
}

std::vector<Rank> Door::ranks_of_node(std::uint32_t node) const {
  const NodeRanks ranks = roster_.ranks_of(node);
  return {ranks.begin(), ranks.end()};
}

std::vector<Rank> Door::first_of_nodes() const {
  std::vector<Rank> members;
  for (std::uint32_t node = 0; node < nodes(); ++node)
    members.push_back(roster_.ranks_of(node).front());
  return members;
}

Group& Door::node_group(CallName call) {
  if (node_group_ != nullptr) return *node_group_;
  std::vector<Rank> members = ranks_of_node(node_of(rank()));
  node_group_ = members.size() == ranks() ? world_.get() : &make_group(call, std::move(members));
  return *node_group_;
}

Group& Door::masters_group(CallName call) {
  if (masters_group_ != nullptr) return *masters_group_;
  std::vector<Rank> members = first_of_nodes();
  masters_group_ = members.size() == ranks() ? world_.get() : &make_group(call, std::move(members));
  return *masters_group_;
}

}  // namespace gondwana::armci
