#include "engine/teams/teams.hpp"

namespace gondwana {
namespace {

// The teams of an engine start at an epoch that no earlier engine has reached. So lines and words
// that earlier engines left have no meaning for them.
constexpr Epoch epoch_of(std::uint32_t generation) {
  constexpr std::uint32_t bits_of_a_generation = 40;
  return Epoch{generation} << bits_of_a_generation;
}

}  // namespace

Teams::Teams(const NodeMemory& memory, const Reach& reach, Rank me)
    : memory_(&memory),
      reach_(reach),
      me_(me),
      first_epoch_(epoch_of(legacy().generation.load(std::memory_order_relaxed))),
      free_{~std::uint64_t{0} << 2, (std::uint64_t{1} << max_set_teams) - 1} {
  last_epoch_.fill(first_epoch_);
  const NodeShare& share = memory.plan();
  teams_[world_number] = first_team(world_number, 0, share.job_ranks);
  teams_[shared_number] = reach.covers(me) ? first_team(shared_number, share.first, share.ranks)
                                           : first_team(shared_number, 0, share.job_ranks);
  for (const std::uint32_t number : {world_number, shared_number})
    show(*teams_[number], teams_[number]->size);
}

void Teams::show(const Team& team, std::uint32_t size) const {
  ShownTeam& shown = memory_->page(me_).teams.at(team.number);
  shown.first.store(team.first, std::memory_order_relaxed);
  shown.stride.store(team.stride, std::memory_order_relaxed);
  shown.size.store(size, std::memory_order_release);
}

std::unique_ptr<Team> Teams::first_team(std::uint32_t number, std::uint32_t first,
                                        std::uint32_t size) const {
  return std::make_unique<Team>(Team{.number = number,
                                     .first = first,
                                     .stride = 1,
                                     .size = size,
                                     .me = index(me_) - first,
                                     .epoch = first_epoch_});
}

bool Teams::take(std::uint32_t number) {
  return (word_of(number).fetch_and(~bit_of(number)) & bit_of(number)) != 0;
}

void Teams::give_back(std::uint32_t number) {
  word_of(number).fetch_or(bit_of(number));
}

Team& Teams::make(std::uint32_t number, const Team& parent, const TeamShape& shape, Epoch epoch) {
  Team team{.number = number,
            .first = index(parent.rank_of(shape.start)),
            .stride = shape.stride * parent.stride,
            .size = shape.size,
            .me = 0,
            .epoch = epoch};
  team.me = team.member_of(me_).value();
  teams_[number] = std::make_unique<Team>(team);
  show(team, team.size);
  return *teams_[number];
}

void Teams::end(const Team& team) {
  const std::uint32_t number = team.number;
  last_epoch_[number] = team.epoch;
  show(team, 0);
  teams_[number].reset();
  give_back(number);
}

}  // namespace gondwana
