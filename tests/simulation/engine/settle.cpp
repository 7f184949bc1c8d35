// What the actions of a program find and leave. The ranks of a phase are executed one after the
// other: any order gives the same.
#include <algorithm>
#include <cstring>

#include "simulation/engine/program.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::size_t word = 8;

State empty_state(const Program& program) {
  const std::size_t ranks = program.ranks();
  State state;
  state.areas.assign(ranks, std::vector(ranks, std::vector<std::byte>(program.area_size)));
  state.cells.assign(ranks, std::vector<std::uint64_t>(ranks));
  state.sums.assign(ranks, std::vector<std::uint64_t>(Program::sums));
  state.bits.assign(ranks, 0);
  state.totals.assign(ranks, std::vector<std::uint64_t>(Program::totals));
  return state;
}

// Where a word of the source of a put, or of the target of a get, lies in the area.
std::size_t place_of(Act act, std::size_t at) {
  if (act == Act::put_strided || act == Act::get_strided) return 2 * at;
  constexpr std::size_t block = 4 * word;
  return act == Act::put_blocks ? at / block * 2 * block + at % block : at;
}

class Settling {
 public:
  Settling(Phase& phase, std::uint32_t me) : phase_(phase), state_(phase.after), me_(me) {}

  void perform(Action& action) {
    switch (action.act) {
      case Act::put:
      case Act::put_nbi:
      case Act::put_word:
      case Act::put_words:
      case Act::put_strided:
      case Act::put_blocks:
        return put(action);
      case Act::put_signal:
      case Act::put_signal_nbi:
      case Act::put_flag:
        action.bytes = bytes_of(action.value, action.size);
        phase_.mail[action.pe][me_] = action.bytes;
        return;
      case Act::get:
      case Act::get_nbi:
      case Act::get_words:
      case Act::get_strided:
        return get(action);
      case Act::add:
      case Act::fetch_add:
      case Act::fetch_add_nbi:
        state_.sums[action.pe][action.offset] += action.value;
        return;
      case Act::toggle:
        state_.bits[action.pe] ^= action.value;
        return;
      case Act::swap:
      case Act::compare_swap:
        return change_cell(action);
      case Act::accumulate:
        for (std::size_t i = 0; i < action.size / word; ++i)
          state_.totals[action.pe][action.offset + i] += action.value + i;
        return;
      case Act::request_short:
      case Act::request_medium:
      case Act::request_long:
        action.bytes = bytes_of(action.value, action.size);
        ++phase_.requests[action.pe][me_];
        return;
      case Act::count_locked:
        ++state_.locked;
        return;
      case Act::fence:
      case Act::quiet:
      case Act::compute:
        return;
    }
  }

 private:
  std::byte* area(const Action& action, std::uint32_t writer) {
    return state_.areas[action.pe][writer].data() + action.offset;
  }

  void put(Action& action) {
    action.bytes = bytes_of(action.value, action.size);
    for (std::size_t at = 0; at < action.size; at += word)
      std::memcpy(area(action, me_) + place_of(action.act, at), action.bytes.data() + at, word);
  }
  void get(Action& action) {
    action.bytes.resize(action.size);
    for (std::size_t at = 0; at < action.size; at += word)
      std::memcpy(action.bytes.data() + at, area(action, action.writer) + place_of(action.act, at),
                  word);
  }
  void change_cell(Action& action) {
    std::uint64_t& cell = state_.cells[action.pe][me_];
    action.found = cell;
    if (action.act == Act::swap || cell == action.other) cell = action.value;
  }

  Phase& phase_;
  State& state_;
  std::uint32_t me_;
};

}  // namespace

std::vector<std::byte> bytes_of(std::uint64_t value, std::size_t size) {
  Random random(value, size);
  std::vector<std::byte> bytes(size);
  for (std::size_t at = 0; at < size; at += word) {
    const std::uint64_t next = random.next();
    std::memcpy(bytes.data() + at, &next, std::min(word, size - at));
  }
  return bytes;
}

void settle(Program& program) {
  const std::uint32_t ranks = program.ranks();
  State state = empty_state(program);
  for (Phase& phase : program.phases) {
    phase.after = std::move(state);
    phase.mail.assign(ranks, std::vector<std::vector<std::byte>>(ranks));
    phase.requests.assign(ranks, std::vector<std::uint32_t>(ranks));
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      for (Action& action : phase.actions[rank]) Settling(phase, rank).perform(action);
    state = phase.after;
  }
}

}  // namespace gondwana::simulation
