#include "simulation/engine/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace gondwana::simulation {
namespace {

constexpr std::size_t word = 8;

using Writes = std::vector<std::vector<bool>>;  // by target and writer

std::vector<std::byte> draw_bytes(Random& random, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random.next());
  return bytes;
}

// Often small, in whole words.
std::size_t draw_size(Random& random, std::size_t most) {
  const std::size_t limit = random.pick<std::size_t>({word, 64, 1024, most});
  return word * (1 + random.below(std::min(limit, most) / word));
}

// Draws the actions of one rank in one phase, and keeps the state of memory.
class Drawing {
 public:
  Drawing(Random& random, std::uint32_t me, Phase& phase, const Writes& writes)
      : random_(random), me_(me), phase_(phase), writes_(writes), dirty_(phase.areas.size()) {}

  void draw() {
    const std::size_t count = random_.one_in(8) ? random_.below(200) : random_.skewed(24);
    std::vector<std::size_t> mail(ranks());  // before which action
    for (std::size_t& when : mail) when = random_.below(3 * (count + 1));
    for (std::size_t i = 0; i <= count; ++i) {
      for (std::uint32_t pe = 0; pe < ranks(); ++pe)
        if (mail[pe] == i) send_mail(pe);
      if (i < count) draw_action();
    }
  }

 private:
  struct Range {
    std::size_t begin, end;
  };

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(phase_.areas.size()); }
  void add(Action action) { phase_.actions[me_].push_back(std::move(action)); }

  void draw_action() {
    const auto pe = static_cast<std::uint32_t>(random_.below(ranks()));
    const std::uint64_t kind = random_.below(12);
    if (kind < 4) return put(pe);
    if (kind < 6) return get(pe);
    if (kind < 7) return order(random_.one_in(2) ? Act::fence : Act::quiet);
    if (kind < 9) return add_to_sum(pe);
    if (kind < 11) return add({.act = Act::compute, .value = random_.skewed(3'000'000)});
    ++phase_.locked;
    add({.act = Act::count_locked});
    forget_dirty();
  }

  void order(Act act) {
    forget_dirty();
    add({.act = act});
  }
  void forget_dirty() {
    for (auto& ranges : dirty_) ranges.clear();
  }

  // Puts to the same place need a fence between them.
  void touch(std::uint32_t pe, Range range) {
    const bool overlaps = std::ranges::any_of(dirty_[pe], [&](const Range& other) {
      return range.begin < other.end && other.begin < range.end;
    });
    if (overlaps) order(random_.one_in(2) ? Act::fence : Act::quiet);
    dirty_[pe].push_back(range);
  }

  void put(std::uint32_t pe) {
    if (!writes_[pe][me_]) return;
    const Act act =
        random_.pick<Act>({Act::put, Act::put, Act::put_nbi, Act::put_word, Act::put_strided});
    const bool is_strided = act == Act::put_strided;
    const std::size_t most = is_strided ? Program::area_size / 2 : Program::area_size;
    const std::size_t size = act == Act::put_word ? word : draw_size(random_, most);
    const std::size_t length = is_strided ? 2 * size : size;
    const std::size_t offset = word * random_.below((Program::area_size - length) / word + 1);
    Action action{.act = act, .pe = pe, .offset = offset, .bytes = draw_bytes(random_, size)};
    touch(pe, {offset, offset + length});
    std::byte* const area = phase_.areas[pe][me_].data() + offset;
    for (std::size_t i = 0; i < size; i += word)
      std::memcpy(area + (is_strided ? 2 * i : i), action.bytes.data() + i, word);
    add(std::move(action));
  }

  // From an area that nobody changes, or from the own one, after a quiet.
  void get(std::uint32_t pe) {
    const auto writer = static_cast<std::uint32_t>(random_.below(ranks()));
    if (writes_[pe][writer] && writer != me_) return;
    if (writes_[pe][writer]) order(Act::quiet);
    const std::size_t size = draw_size(random_, Program::area_size);
    const std::size_t offset = word * random_.below((Program::area_size - size) / word + 1);
    const std::byte* const begin = phase_.areas[pe][writer].data() + offset;
    const Act act = random_.one_in(3) ? Act::get_nbi : Act::get;
    if (act == Act::get_nbi) forget_dirty();  // by its quiet
    add({.act = act, .pe = pe, .writer = writer, .offset = offset, .bytes = {begin, begin + size}});
  }

  void add_to_sum(std::uint32_t pe) {
    const std::size_t number = random_.below(Program::sums);
    const std::uint64_t value = random_.below(1000);
    phase_.sums[pe][number] += value;
    const Act act = random_.one_in(2) ? Act::add : Act::fetch_add;
    add({.act = act, .pe = pe, .offset = number, .value = value});
  }

  void send_mail(std::uint32_t pe) {
    std::vector<std::byte> bytes = draw_bytes(random_, draw_size(random_, Program::mail_size));
    phase_.mail[pe][me_] = bytes;
    const Act act = random_.one_in(2) ? Act::put_signal : Act::put_flag;
    if (act == Act::put_flag) forget_dirty();  // by its fence
    add({.act = act, .pe = pe, .bytes = std::move(bytes)});
  }

  Random& random_;
  std::uint32_t me_;
  Phase& phase_;
  const Writes& writes_;
  std::vector<std::vector<Range>> dirty_;  // by target, since the last fence
};

void draw_phase(Random& random, Phase& phase) {
  const auto ranks = static_cast<std::uint32_t>(phase.areas.size());
  phase.actions.resize(ranks);
  phase.mail.assign(ranks, std::vector<std::vector<std::byte>>(ranks));
  Writes writes(ranks, std::vector<bool>(ranks));
  for (auto& row : writes)
    for (auto&& each : row) each = random.one_in(2);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) Drawing(random, rank, phase, writes).draw();
  phase.together = static_cast<Together>(random.below(6));
  phase.elements = 1 + random.skewed(Program::max_elements - 1);
  phase.root = static_cast<std::uint32_t>(random.below(ranks));
}

}  // namespace

std::uint32_t Program::ranks() const {
  return std::accumulate(nodes.begin(), nodes.end(), std::uint32_t{0});
}

Program draw_program(std::uint64_t seed) {
  Random random(seed, 2);
  Program program;
  program.nodes = random.pick<std::vector<std::uint32_t>>(
      {{2}, {3}, {4}, {1, 1}, {2, 2}, {2, 2}, {1, 3}, {1, 1, 1}, {2, 1, 2}});
  program.through_agent = random.one_in(4);
  program.spins = random.pick<std::uint32_t>({1, 2, 20});
  program.eager_limit = random.pick<std::size_t>({8, 256, 2048, 8192});
  program.batch_limit = random.pick<std::size_t>({0, 256, 4096, 32768});
  const std::uint32_t ranks = program.ranks();
  Phase state;
  state.areas.assign(ranks, std::vector(ranks, std::vector<std::byte>(Program::area_size)));
  state.sums.assign(ranks, std::vector<std::uint64_t>(Program::sums));
  const std::size_t phases = random.between(1, 4);
  for (std::size_t i = 0; i < phases; ++i) {
    Phase& phase = program.phases.emplace_back(state);
    draw_phase(random, phase);
    state.areas = phase.areas;
    state.sums = phase.sums;
    state.locked = phase.locked;
  }
  return program;
}

std::string describe(const Program& program) {
  std::size_t actions = 0;
  for (const Phase& phase : program.phases)
    for (const auto& each : phase.actions) actions += each.size();
  return fmt::format(
      "nodes of {} ranks, {}; {} phases, {} actions; spins {}, eager limit {}, batch limit {}",
      fmt::join(program.nodes, ", "),
      program.through_agent ? "agents carry messages" : "own endpoints", program.phases.size(),
      actions, program.spins, program.eager_limit, program.batch_limit);
}

}  // namespace gondwana::simulation
