// Draws programs. What their actions find and leave is determined later, by settle().
#include <algorithm>

#include "simulation/engine/program.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::size_t word = 8;

using Writes = Matrix<bool>;  // by target and writer

// Often small, in whole words.
std::size_t draw_size(Random& random, std::size_t most) {
  const std::size_t limit = random.pick<std::size_t>({word, 64, 1024, most});
  return word * (1 + random.below(std::min(limit, most) / word));
}

// The kinds of actions that a phase prefers, so that some phases have many of a kind.
enum class Kind : std::uint8_t { put, get, order, sum, cell, total, message, compute, lock };

// Draws the actions of one rank in one phase.
class Drawing {
 public:
  Drawing(Random& random, std::uint32_t me, const Program& program, const Writes& writes,
          const std::vector<Kind>& kinds)
      : random_(random),
        program_(program),
        me_(me),
        writes_(writes),
        kinds_(kinds),
        dirty_(program.ranks()),
        longs_(program.ranks()) {}

  std::vector<Action> draw() {
    const std::size_t count = random_.one_in(8) ? random_.below(200) : random_.skewed(24);
    std::vector<std::size_t> mail(program_.ranks());  // before which action
    for (std::size_t& when : mail) when = random_.below(3 * (count + 1));
    for (std::size_t i = 0; i <= count; ++i) {
      for (std::uint32_t pe = 0; pe < program_.ranks(); ++pe)
        if (mail[pe] == i) send_mail(pe);
      if (i < count) draw_action();
    }
    return std::move(actions_);
  }

 private:
  struct Range {
    std::size_t begin, end;
  };

  void add(Action action) { actions_.push_back(std::move(action)); }

  void draw_action() {
    const auto pe = static_cast<std::uint32_t>(random_.below(program_.ranks()));
    switch (random_.pick(kinds_)) {
      case Kind::put:
        return put(pe);
      case Kind::get:
        return get(pe);
      case Kind::order:
        return order(random_.one_in(2) ? Act::fence : Act::quiet);
      case Kind::sum:
        return add_to_sum(pe);
      case Kind::cell:
        return change_cell(pe);
      case Kind::total:
        return accumulate(pe);
      case Kind::message:
        return request(pe);
      case Kind::compute:
        return add({.act = Act::compute, .value = random_.skewed(3'000'000)});
      case Kind::lock:
        add({.act = Act::count_locked});
        return forget_dirty();
    }
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

  std::size_t draw_offset(std::size_t length) {
    return word * random_.below((program_.area_size - length) / word + 1);
  }

  void put(std::uint32_t pe) {
    if (!writes_[pe][me_]) return;
    const Act act = random_.pick<Act>({Act::put, Act::put, Act::put_nbi, Act::put_word,
                                       Act::put_words, Act::put_strided, Act::put_blocks});
    std::size_t size = draw_size(random_, program_.area_size / 2);
    if (act == Act::put_word) size = word;
    if (act == Act::put_words) size = std::min(size, 80 * word);
    if (act == Act::put_blocks) size = (size + 4 * word - 1) / (4 * word) * (4 * word);
    const bool has_gaps = act == Act::put_strided || act == Act::put_blocks;
    const std::size_t length = has_gaps ? 2 * size : size;
    const std::size_t offset = draw_offset(length);
    touch(pe, {offset, offset + length});
    add({.act = act, .pe = pe, .offset = offset, .size = size, .value = random_.next()});
  }

  // From an area that nobody changes, or from the own one, after a quiet.
  void get(std::uint32_t pe) {
    const auto writer = static_cast<std::uint32_t>(random_.below(program_.ranks()));
    const bool is_written = writes_[pe][writer];
    if (is_written && writer != me_) return;
    if (is_written) order(Act::quiet);
    const Act act = is_written ? Act::get
                               : random_.pick<Act>({Act::get, Act::get_nbi, Act::get_nbi,
                                                    Act::get_words, Act::get_strided});
    const std::size_t size = draw_size(random_, program_.area_size / 2);
    const std::size_t offset = draw_offset(act == Act::get_strided ? 2 * size : size);
    const std::size_t piece = std::max(size / 40 / word, 1 + random_.below(256)) * word;
    add({.act = act, .pe = pe, .writer = writer, .offset = offset, .size = size, .value = piece});
  }

  void add_to_sum(std::uint32_t pe) {
    const Act act = random_.pick<Act>({Act::add, Act::fetch_add, Act::fetch_add_nbi, Act::toggle});
    add({.act = act,
         .pe = pe,
         .offset = random_.below(Program::sums),
         .value = random_.below(1000)});
  }

  void change_cell(std::uint32_t pe) {
    add({.act = random_.one_in(2) ? Act::swap : Act::compare_swap,
         .pe = pe,
         .value = random_.below(4),
         .other = random_.below(4)});
  }

  void accumulate(std::uint32_t pe) {
    const std::size_t size = draw_size(random_, Program::totals * word);
    const std::size_t offset = random_.below(Program::totals - size / word + 1);
    add({.act = Act::accumulate,
         .pe = pe,
         .offset = offset,
         .size = size,
         .value = random_.below(1000)});
  }

  // The payload of a long message stays until the barrier.
  void request(std::uint32_t pe) {
    Act act = random_.pick<Act>({Act::request_short, Act::request_medium, Act::request_long});
    if (act == Act::request_long && longs_[pe] == Program::longs) act = Act::request_short;
    Action action{.act = act, .pe = pe, .value = random_.below(1 << 20)};
    if (act == Act::request_medium) action.size = random_.skewed(random_.one_in(4) ? 60'000 : 500);
    if (act == Act::request_long) {
      action.size = random_.below(Program::long_size + 1);
      action.offset = longs_[pe]++;
    }
    add(action);
  }

  void send_mail(std::uint32_t pe) {
    const Act act = random_.pick<Act>({Act::put_signal, Act::put_signal_nbi, Act::put_flag});
    if (act == Act::put_flag) forget_dirty();  // by its fence
    add({.act = act,
         .pe = pe,
         .size = draw_size(random_, program_.mail_size),
         .value = random_.next(),
         .other = random_.below(2)});
  }

  Random& random_;
  const Program& program_;
  std::uint32_t me_;
  const Writes& writes_;
  const std::vector<Kind>& kinds_;
  std::vector<Action> actions_;
  Matrix<Range> dirty_;             // by target, since the last fence
  std::vector<std::size_t> longs_;  // by target
};

std::vector<Kind> draw_kinds(Random& random, bool has_messages) {
  std::vector<Kind> kinds;
  const auto add = [&](Kind kind, std::size_t times) {
    kinds.insert(kinds.end(), random.one_in(6) ? 12 * times : times, kind);
  };
  add(Kind::put, 4);
  add(Kind::get, 3);
  add(Kind::order, 1);
  add(Kind::sum, 2);
  add(Kind::cell, 1);
  add(Kind::total, 1);
  add(Kind::compute, 2);
  add(Kind::lock, 1);
  if (has_messages) add(Kind::message, 3);
  return kinds;
}

void draw_phase(Random& random, const Program& program, Phase& phase) {
  const std::uint32_t ranks = program.ranks();
  Writes writes(ranks, std::vector<bool>(ranks));
  for (auto& row : writes)
    for (auto&& each : row) each = random.one_in(2);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::vector<Kind> kinds = draw_kinds(random, program.has_messages);
    phase.actions.push_back(Drawing(random, rank, program, writes, kinds).draw());
  }
  phase.together = static_cast<Together>(random.below(6));
  phase.in_team = random.one_in(3);
  phase.elements = 1 + random.skewed(Program::max_elements - 1);
  phase.root = static_cast<std::uint32_t>(random.below(ranks));
}

TeamShape draw_team(Random& random, std::uint32_t ranks) {
  TeamShape team;
  team.start = static_cast<std::uint32_t>(random.below(ranks));
  team.stride = static_cast<std::uint32_t>(random.between(1, 3));
  const std::uint32_t most = (ranks - 1 - team.start) / team.stride + 1;
  team.size = static_cast<std::uint32_t>(random.between(1, most));
  return team;
}

Loss draw_loss(Random& random, const Program& program) {
  Loss loss{.after_ns = random.below(std::uint64_t{1} << random.between(14, 26)),
            .is_reset = random.one_in(2)};
  if (program.nodes.size() > 1) loss.what = static_cast<Loss::What>(random.below(3));
  loss.number = static_cast<std::uint32_t>(
      random.below(loss.what == Loss::What::rank ? program.ranks() : program.nodes.size()));
  return loss;
}

}  // namespace

Program draw_program(std::uint64_t seed) {
  Random random(seed, 2);
  Program program;
  program.nodes =
      random.one_in(24)
          ? std::vector<std::uint32_t>(4, 4)
          : random.pick<std::vector<std::uint32_t>>(
                {{2}, {3}, {4}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, {1, 3}, {1, 1, 1}, {2, 1, 2}});
  program.through_agent = random.one_in(4);
  program.spins = random.pick<std::uint32_t>({1, 2, 20});
  program.eager_limit = random.pick<std::size_t>({8, 256, 2048, 8192});
  program.batch_limit = random.pick<std::size_t>({0, 256, 4096, 32768});
  if (program.ranks() > 5) program.area_size /= 8;
  program.sessions = random.one_in(8) ? 2 : 1;
  program.has_messages = random.one_in(2);
  program.team = draw_team(random, program.ranks());
  program.peer_timeout_s = random.pick<std::uint32_t>({0, 1, 5});
  if (random.one_in(6)) {
    program.loss = draw_loss(random, program);
    program.peer_timeout_s = random.pick<std::uint32_t>({1, 3});
  }
  // All processes share one processor, and an agent may not get it for a second.
  if (program.ranks() > 5 && program.peer_timeout_s > 0) program.peer_timeout_s = 10;
  program.phases.resize(random.between(1, 4));
  for (Phase& phase : program.phases) draw_phase(random, program, phase);
  settle(program);
  return program;
}

}  // namespace gondwana::simulation
