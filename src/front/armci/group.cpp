#include "front/armci/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "front/armci/door.hpp"
#include "process/leave.hpp"

namespace gondwana::armci {

namespace {

std::uint64_t next_number() {
  static std::uint64_t last = 0;
  return ++last;
}

Members members_of(std::span<const Rank> ranks) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(ranks.size());
  for (const Rank rank : ranks) numbers.push_back(index(rank));
  return Members::of(numbers);
}

}  // namespace

Group::Group(Door& door, std::vector<Rank> members, std::vector<StagedPlace> places)
    : door_(door),
      number_(next_number()),
      members_(members_of(members)),
      me_(member_of(door.rank())) {
  if (!me_ || size() == 1) return;
  place_ = places[*me_];
  StagedCollectives::Setup setup;
  for (const Rank member : members) setup.nodes.push_back(door.roster().where(member).node);
  setup.ranks = std::move(members);
  setup.places = std::move(places);
  setup.me = *me_;
  setup.replicas = door.groups().scratch().replicas(place_);
  setup.offset_of = [&door](Bytes memory) { return door.memory().offset_in_own_arena(memory); };
  collectives_ =
      std::make_unique<StagedCollectives>(door.engine().collectives().resources(), setup);
}

Group::~Group() {
  if (collectives_ != nullptr) door_.groups().scratch().give_back(place_);
}

// Messages of the last step are sent before it returns, because the program may make no calls for
// long.
template <typename Step>
void Group::finish(CallName call, Step step) {
  const CollectiveResources& with = door_.engine().collectives().resources();
  for (bool is_over = false; !is_over;) {
    const bool on_network = staged::waits_for_network(step);
    const WaitReason why{.call = call,
                         .on_program_memory = true,
                         .word = collectives_->own_word(),
                         .on_network = on_network};
    with.waiter.until(why, [&] {
      is_over = step.advance();
      return is_over || staged::waits_for_network(step) != on_network;
    });
  }
  if (collectives_->has_levels()) with.remote->depart(call);
}

void Group::compare(CallName call, const std::string& details) {
  if (collectives_ == nullptr || !door_.engine().options().checks) return;
  using Note = std::array<char, 120>;  // a longer text is cut
  const std::string text =
      fmt::format("{} (group of {}{}{})", call, size(), details.empty() ? "" : ", ", details);
  Note mine{};
  text.copy(mine.data(), mine.size() - 1);
  std::vector<Note> all(size());
  gather_unchecked(call, std::as_bytes(std::span(&mine, 1)),
                   std::as_writable_bytes(std::span(all)));
  const auto other = std::ranges::find_if(all, [&](const Note& note) { return note != all[0]; });
  if (other == all.end()) return;
  const Rank rank = rank_of(static_cast<std::uint32_t>(other - all.begin()));
  fail_together(call, {Errc::invalid_argument,
                       fmt::format("process {} is in {} while process {} is in {}", index(rank),
                                   other->data(), index(rank_of(0)), all[0].data())});
}

void Group::meet(CallName call) {
  compare(call);
  if (collectives_ == nullptr) return;
  collectives_->enter([&](auto barrier) { finish(call, std::move(barrier)); });
}

void Group::meet_last(CallName call) {
  if (collectives_ == nullptr) return;
  collectives_->enter_last([&](auto barrier) { finish(call, std::move(barrier)); });
}

void Group::broadcast(CallName call, MutableBytes bytes, std::uint32_t root) {
  compare(call, fmt::format("{} bytes, root {}", bytes.size(), index(rank_of(root))));
  if (collectives_ == nullptr || bytes.empty()) return;
  const OnHost on_host(door_.memory(), call, bytes,
                       *me_ == root ? OnHost::Use::read : OnHost::Use::written);
  const staged::Movement what{.flow = {.from = root},
                              .apart = false,
                              .block = bytes.size(),
                              .source = on_host.bytes().data(),
                              .dest = on_host.bytes().data()};
  collectives_->move(call, what, [&](auto step) { finish(call, std::move(step)); });
}

void Group::gather(CallName call, Bytes mine, MutableBytes all) {
  compare(call, fmt::format("{} bytes of each", mine.size()));
  gather_unchecked(call, mine, all);
}

void Group::gather_unchecked(CallName call, Bytes mine, MutableBytes all) {
  if (collectives_ == nullptr) {
    std::memcpy(all.data(), mine.data(), mine.size());
    return;
  }
  const staged::Movement what{
      .flow = {}, .apart = false, .block = mine.size(), .source = mine.data(), .dest = all.data()};
  collectives_->move(call, what, [&](auto step) { finish(call, std::move(step)); });
}

void Group::reduce(CallName call, void* array, std::size_t count, const ElementType& type) {
  if (collectives_ == nullptr || count == 0) return;
  const OnHost on_host(door_.memory(), call, {static_cast<std::byte*>(array), count * type.size},
                       OnHost::Use::changed);
  constexpr std::size_t most = std::size_t{16}
                               << 20;  // bytes; each member needs several times this size
  const std::size_t piece = most / type.size;
  for (std::size_t done = 0; done < count; done += piece) {
    std::byte* at = on_host.bytes().data() + done * type.size;
    const staged::Reduction what{.flow = {},
                                 .operation = staged::Operator(type),
                                 .count = std::min(piece, count - done),
                                 .source = at,
                                 .dest = at};
    collectives_->reduce(call, what, [&](auto step) { finish(call, std::move(step)); });
  }
}

}  // namespace gondwana::armci
