// Checks that the members of a team are in the same collective. Each member writes what it is about
// to do, and then all read what the others wrote.
//
// Each team has a note in the system area of its members' arenas, after the data bell. Other nodes
// can read it over the wire.
#include <fmt/format.h>

#include "engine/collectives/collectives.hpp"

namespace gondwana {
namespace {

// Includes the final zero; longer texts are cut.
constexpr std::size_t note_size = system_area::call_notes.size;

using NoteText = std::array<char, note_size>;

constexpr std::size_t offset_of_note(std::uint32_t team) {
  return system_area::call_notes.at(team);
}

void write_note(const CollectiveResources& with, std::uint32_t team, const std::string& text) {
  NoteText note{};
  text.copy(note.data(), note.size() - 1);
  std::memcpy(with.memory.window(with.me) + offset_of_note(team), note.data(), note.size());
}

std::string note_of(const CollectiveResources& with, Rank rank, std::uint32_t team) {
  NoteText note{};
  const std::size_t offset = offset_of_note(team);
  if (with.rma.reach().covers(rank)) {
    std::memcpy(note.data(), with.rma.reach().window(rank) + offset, note.size());
  } else {
    with.remote->get_uncounted(with.lane, std::as_writable_bytes(std::span(note)), {rank, offset});
  }
  note.back() = '\0';
  return note.data();
}

}  // namespace

std::optional<std::string> Collectives::compare_calls(Team& team, CallName call,
                                                      const std::string& mine) {
  Group group = group_of(team, call, Collective::barrier);
  write_note(with_, team.number, mine);
  group.barrier();  // all have written
  const std::string first = note_of(with_, team.rank_of(0), team.number);
  std::optional<std::string> difference;
  for (std::uint32_t member = 1; member < team.size && !difference; ++member) {
    const std::string other = note_of(with_, team.rank_of(member), team.number);
    if (other == first) continue;
    difference = fmt::format("rank {} is in {} while rank {} is in {}", index(team.rank_of(member)),
                             other, index(team.rank_of(0)), first);
  }
  group.barrier();  // all have read, and may write again
  return difference;
}

}  // namespace gondwana
