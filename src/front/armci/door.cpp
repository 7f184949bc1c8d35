#include "front/armci/door.hpp"

#include "core/more_ranks.hpp"
#include "front/armci/mpi.hpp"
#include "process/process.hpp"

namespace gondwana::armci {

void give_up(CallName call, const std::string& sentence) {
  print_and_end(fmt::format("{}: {}", call, sentence));
}

Door::Door(Engine& engine, CallName call)
    : engine_(engine),
      counters_(engine.default_lane().counters()),
      memory_(*this, engine),
      heap_(engine.segments()),
      words_(*this),
      groups_(*this),
      mailbox_(*this),
      mutexes_(*this),
      transfers_(*this) {
  join(call);
}

Door::~Door() = default;

// Every process publishes its addresses. The others read them between the two barriers.
void Door::join(CallName call) {
  Team& all = engine_.teams().world();
  const std::size_t size = sizeof(ArmciWords) + ranks() * sizeof(std::uint64_t);
  std::byte* words = heap_.allocate(size);
  if (words == nullptr)
    give_up(call, "no memory is left for the segments of this process; lower GONDWANA_HEAP_SIZE");
  std::memset(words, 0, size);
  std::byte* arena = memory_.own_arena();
  shared_at<ArmciPlace>(arena, system_area::armci_place.offset) = {
      groups_.take_scratch(call), static_cast<std::uint64_t>(words - arena)};
  check(call, engine_.collectives().barrier(all, call));
  std::vector<StagedPlace> places;
  std::vector<std::uint64_t> offsets;
  places.reserve(ranks());
  offsets.reserve(ranks());
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    const ArmciPlace place = place_of(call, Rank(rank));
    places.push_back(place.collectives);
    offsets.push_back(place.words);
  }
  words_.open(std::move(offsets));
  groups_.make_world(std::move(places));
  check(call, engine_.collectives().barrier(all, call));
}

ArmciPlace Door::place_of(CallName call, Rank rank) const {
  constexpr std::size_t offset = system_area::armci_place.offset;
  if (memory_.is_near(rank)) return shared_at<ArmciPlace>(engine_.memory().window(rank), offset);
  ArmciPlace place;
  check(call,
        engine_.remote().get(lane(), std::as_writable_bytes(std::span(&place, 1)), {rank, offset}));
  return place;
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

}  // namespace gondwana::armci
