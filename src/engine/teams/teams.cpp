#include "engine/teams/teams.hpp"

#include <bit>

#include "sync/number_offer.hpp"

namespace gondwana {
namespace {

// The teams of an engine start at an epoch that no earlier engine has reached. So lines and words
// left by earlier engines have no meaning for them.
constexpr Epoch epoch_of(std::uint32_t generation) {
  return Epoch{generation} << bits_of_a_generation;
}

}  // namespace

Teams::Teams(const NodeMemory& memory, const Reach& reach, Rank me, const Session& world)
    : memory_(&memory),
      reach_(reach),
      me_(me),
      first_epoch_(epoch_of(legacy().generation.load(std::memory_order_relaxed))) {
  const NodeRanks here = memory.roster().here();
  const std::uint32_t first = std::max(world.first, index(here.front()));
  const std::uint32_t end = std::min(world.end(), index(here.back()) + 1);
  const Members all{world.first, 1, world.ranks};
  make_first(world_number, all);
  make_first(shared_number, reach.covers(me) ? Members{first, 1, end - first} : all);
}

Teams::~Teams() {
  for_each_other([](const Team& team) { delete &team; });
  delete teams_[shared_number];
  delete teams_[world_number];
}

void Teams::show(const Team& team, std::uint32_t size) const {
  ShownTeam& shown = memory_->shown_team(me_, team.number);
  shown.first.store(team.first, std::memory_order_relaxed);
  shown.stride.store(team.stride, std::memory_order_relaxed);
  shown.size.store(size, std::memory_order_release);
}

void Teams::make_first(std::uint32_t number, const Members& members) {
  take(number);
  keep({number, members, members.member_of(me_).value()}, first_epoch_);
}

Team& Teams::keep(Team team, Epoch epoch) {
  team.epoch = team.shrinks = epoch;
  show(team, team.size);
  Team*& place = teams_[team.number];
  return *(place = new Team(std::move(team)));
}

Teams::FreeNumbers Teams::free_from(std::uint64_t word) const {
  const std::uint64_t end = memory_->plan().teams / numbers_of_word;
  for (; word < end; ++word)
    if (const std::uint64_t bits = ~taken_[word].load(); bits != 0) return {word, bits};
  return {words, 0};
}

bool Teams::take(std::uint32_t number) {
  if ((word_of(number).fetch_or(bit_of(number)) & bit_of(number)) != 0) return false;
  memory_->allow_team(number);
  return true;
}

void Teams::give_back(std::uint32_t number) {
  word_of(number).fetch_and(~bit_of(number));
}

Team& Teams::make(std::uint32_t number, const Team& parent, const Members& chosen, Epoch epoch,
                  std::uint32_t made_at) {
  const Members members = chosen.within(parent);
  Team& team = keep({number, members, members.member_of(me_).value()}, epoch);
  team.made_at = made_at;
  return team;
}

Members Teams::those_here(const Members& members) const {
  const Roster& roster = memory_->roster();
  if (roster.nodes() == 1 || !reach_.covers(me_)) return members;
  std::vector<std::uint32_t> here;
  for (std::uint32_t member = 0; member < members.size; ++member)
    if (roster.is_here(members.rank_of(member))) here.push_back(members.number_of(member));
  return Members::of(here);
}

void Teams::renew_first(const Members& members, Epoch epoch, std::uint32_t made_at) {
  for (Team* team : {&world(), &shared()}) {
    static_cast<Members&>(*team) = team == &shared() ? those_here(members) : members;
    team->me = team->member_of(me_).value();
    team->epoch = team->shrinks = epoch;
    team->scratch_uses = 0;
    team->made_at = made_at;
    show(*team, team->size);
  }
}

void Teams::end(const Team& team) {
  const std::uint32_t number = team.number;
  retire(team);
  give_back(number);
}

void Teams::retire(const Team& team) {
  const std::uint32_t number = team.number;
  show(team, 0);
  last_epoch_[number] = std::max(team.epoch, team.shrinks);
  delete std::exchange(teams_[number], nullptr);
}

void Teams::for_each_other(FunctionRef<void(Team&)> use) {
  for (std::uint64_t word = 0; word < words; ++word) {
    for (std::uint64_t bits = taken_[word]; bits != 0; bits &= bits - 1) {
      const std::uint64_t number =
          word * numbers_of_word + static_cast<std::uint64_t>(std::countr_zero(bits));
      if (number > shared_number && teams_[number] != nullptr) use(*teams_[number]);
    }
  }
}

}  // namespace gondwana
