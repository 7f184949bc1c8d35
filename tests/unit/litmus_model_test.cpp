// Litmus tests of OpenSHMEM on one node, under the model checker: each operation is what src does
// there, with the same memory orders. So forbidden outcomes cannot occur on weak memory either, and
// the weak outcomes that can occur are known.
//
// Not translated: contexts, which share memory on a node; barriers, collectives and locks, which
// have model tests of their own.
#include <array>
#include <deque>
#include <set>

#include "litmus/operations.hpp"
#include "litmus/outcomes.hpp"
#include "litmus/parse.hpp"
#include "support/model/assertions.hpp"
#include "support/model/memory.hpp"

namespace gondwana::litmus {
namespace {

using model::Atomics;
using model::Data;
using model::fails;
using model::holds;
using model::Kind;
using model::Scenario;
using model::Word;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto seq_cst = std::memory_order_seq_cst;

// The orders that a mutant of src lacks.
struct Lacks {
  bool fence = false;
  bool acquiring_wait = false;
  bool releasing_signal = false;
  bool ordered_atomics = false;
};

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}
std::uint32_t as_word(long value) {
  return static_cast<std::uint32_t>(value);
}

// A word that begins with a value other than 0: the checker's word holds the difference.
class Cell {
 public:
  Cell(int location, int rank, int word, std::uint32_t initial)
      : location_(location), rank_(rank), word_(word), initial_(initial) {}

  bool is(int location, int rank, int word) const {
    return location_ == location && rank_ == rank && word_ == word;
  }
  std::uint32_t load(std::memory_order order) const { return cell_.load(order) + initial_; }
  void store(std::uint32_t value, std::memory_order order) { cell_.store(value - initial_, order); }
  std::uint32_t fetch_add(std::uint32_t value, std::memory_order order) {
    return cell_.fetch_add(value, order) + initial_;
  }
  std::uint32_t exchange(std::uint32_t value, std::memory_order order) {
    return cell_.exchange(value - initial_, order) + initial_;
  }
  std::uint32_t compare_exchange(std::uint32_t expected, std::uint32_t value,
                                 std::memory_order order) {
    std::uint32_t found = expected - initial_;
    cell_.compare_exchange_strong(found, value - initial_, order, order);
    return found + initial_;
  }

 private:
  int location_;
  int rank_;
  int word_;
  std::uint32_t initial_;
  Word cell_;
};

// The memory of all ranks. An array has one word here.
class NodeMemory {
 public:
  explicit NodeMemory(const LitmusTest& test) : test_(test) {}

  Cell& word(const Place& place, int me, int index = 0) {
    const int word = place.word == nothing ? index : place.word;
    const int rank = place.rank == nobody ? me : place.rank;
    for (Cell& cell : cells_)
      if (cell.is(place.location, rank, word)) return cell;
    std::uint32_t initial = 0;
    for (const Initial& given : test_.initial)
      if (given.place.location == place.location && given.place.rank == rank)
        initial = as_word(given.value);
    return cells_.emplace_back(place.location, rank, word, initial);
  }
  std::size_t words(const Place& place) const { return test_.locations[at(place.location)].words; }

 private:
  const LitmusTest& test_;
  std::deque<Cell> cells_;
};

// One rank. It is made anew each time the checker runs its thread.
class Thread {
 public:
  Thread(NodeMemory& memory, int me, const Lacks& lacks)
      : memory_(memory), me_(me), lacks_(lacks) {}

  // The value of the operation, if it has one.
  std::uint32_t perform(const Operation& operation) {
    Cell* word = nullptr;
    if (operation.place.location != nothing) word = &memory_.word(operation.place, me_);
    switch (operation.act) {
      case Act::fence:
        if (lacks_.fence) return 0;
        Atomics::acquire_fence();
        Atomics::release_fence();
        return 0;
      case Act::quiet:
      case Act::thread_fence:
        Atomics::acquire_fence();
        Atomics::heavy_fence();
        Atomics::release_fence();
        return 0;
      case Act::wait:
      case Act::signal_wait:
      case Act::wait_any:
      case Act::wait_all:
        return wait(operation);
      case Act::signal_fetch:
        return word->load(acquire);
      case Act::put_signal:
      case Act::put_signal_nbi:
        return put_signal(operation, *word);
      default:
        break;
    }
    const std::uint32_t value = value_of(operation.value);
    const auto atomic = lacks_.ordered_atomics ? relaxed : seq_cst;
    switch (operation.act) {
      case Act::get:
      case Act::get_nbi:
      case Act::iget:
      case Act::g:
      case Act::load:
      case Act::load_relaxed:
        return word->load(relaxed);
      case Act::fetch:
      case Act::fetch_nbi:
        return word->load(atomic);
      case Act::add:
      case Act::fetch_add:
      case Act::signal_add:
        return word->fetch_add(value, atomic);
      case Act::set:
      case Act::swap:
        return word->exchange(value, atomic);
      case Act::compare_swap:
        return word->compare_exchange(value, as_word(operation.other.number), atomic);
      default:
        word->store(value, relaxed);
        return 0;
    }
  }

  void keep(int reg, std::uint32_t value) { registers_[at(reg)] = value; }
  void store(int location, std::uint32_t value) {
    memory_.word({.location = location, .word = nothing, .rank = me_}, me_).store(value, relaxed);
  }

 private:
  std::uint32_t wait(const Operation& operation) {
    const std::uint32_t value = value_of(operation.value);
    const auto order = lacks_.acquiring_wait ? relaxed : acquire;
    const bool is_any = operation.act == Act::wait_any;
    const std::size_t count = memory_.words(operation.place);
    for (std::size_t i = 0; i < count;) {
      const bool is_met =
          memory_.word(operation.place, me_, static_cast<int>(i)).load(order) == value;
      if (is_met && is_any) return static_cast<std::uint32_t>(i);
      if (is_met || is_any) ++i;
      if (!is_met && (!is_any || i == count)) {
        model::wait_for_change();
        i = is_any ? 0 : i;
      }
    }
    return 0;
  }

  std::uint32_t put_signal(const Operation& operation, Cell& word) {
    word.store(value_of(operation.value), relaxed);
    Cell& signal = memory_.word(operation.signal, me_);
    const std::uint32_t value = as_word(operation.signal_value);
    const auto order = lacks_.releasing_signal ? relaxed : release;
    if (operation.act == Act::put_signal)
      signal.store(value, order);
    else
      signal.fetch_add(value, order);
    return 0;
  }

  std::uint32_t value_of(const Value& value) {
    if (value.reg != nothing) return registers_[at(value.reg)];
    if (value.location == nothing) return as_word(value.number);
    return memory_.word({.location = value.location, .word = nothing, .rank = me_}, me_)
        .load(relaxed);
  }

  NodeMemory& memory_;
  int me_;
  const Lacks& lacks_;
  std::array<std::uint32_t, model::max_data> registers_{};
};

// The checker's words have 32 bits.
constexpr long max_number = 0xffff;

bool is_translated(const LitmusTest& test) {
  for (const auto& program : test.programs)
    for (const Operation& operation : program)
      if (is_collective(operation.act) || operation.act == Act::lock ||
          operation.act == Act::unlock || operation.context != 0 ||
          operation.value.number > max_number)
        return false;
  return true;
}

// Fails with "met" if an outcome meets a condition that is forbidden, or else one that is allowed.
model::Outcome explore(const LitmusTest& test, bool forbidden, const Lacks& lacks = {}) {
  Scenario scenario;
  NodeMemory memory(test);
  std::deque<Data> registers(test.registers.size());
  for (int rank = 0; rank < test.ranks(); ++rank)
    scenario.thread("rank " + std::to_string(rank), [&, rank] {
      Thread thread(memory, rank, lacks);
      for (const Operation& operation : test.programs[at(rank)]) {
        const std::uint32_t value = thread.perform(operation);
        if (operation.result != nothing) thread.store(operation.result, value);
        if (operation.reg == nothing) continue;
        thread.keep(operation.reg, value);
        registers[at(operation.reg)].write(value);
      }
    });
  scenario.finally([&] {
    Outcome outcome;
    for (const Observed& seen : test.observed)
      outcome.push_back(seen.reg != nothing
                            ? registers[at(seen.reg)].read()
                            : memory.word(seen.place, seen.place.rank).load(acquire));
    const Condition* const condition = condition_of(test, outcome);
    model::expect(condition == nullptr || condition->is_forbidden != forbidden, "met");
  });
  return scenario.explore({.thread_fences = true});
}

std::vector<LitmusTest> translated_tests(const std::string& filter = "") {
  Result<std::vector<LitmusTest>> tests = read_tests(LITMUS_FOLDER, "shmem", filter);
  EXPECT_TRUE(tests);
  std::erase_if(*tests, [](const LitmusTest& test) { return !is_translated(test); });
  return *std::move(tests);
}

TEST(litmus_model, no_forbidden_outcome_on_a_node) {
  const std::vector<LitmusTest> tests = translated_tests();
  EXPECT_GT(tests.size(), 50U);
  for (const LitmusTest& test : tests) EXPECT_TRUE(holds(explore(test, true))) << test.name;
}

TEST(litmus_model, weak_outcomes_on_a_node) {
  // All updates and fetches are sequentially consistent there, and a quiet is a full fence.
  std::set<std::string> weak;
  for (const LitmusTest& test : translated_tests())
    if (!explore(test, false).holds()) weak.insert(test.name);
  EXPECT_EQ(weak, (std::set<std::string>{}));
}

TEST(litmus_model, orders_left_out_are_found) {
  const auto outcome = [](const std::string& name, const Lacks& lacks) {
    return explore(translated_tests(name).at(0), true, lacks);
  };
  EXPECT_TRUE(fails(outcome("mp-put-fence-p", {.fence = true}), "met"));
  EXPECT_TRUE(fails(outcome("mp-put-fence-p", {.acquiring_wait = true}), "met"));
  EXPECT_TRUE(fails(outcome("signal-put", {.releasing_signal = true}), "met"));
  EXPECT_TRUE(fails(outcome("isa2-put-wait", {.acquiring_wait = true}), "met"));
  EXPECT_TRUE(fails(outcome("wrc-fence", {.fence = true, .ordered_atomics = true}), "met"));
}

TEST(litmus_model, weak_outcomes_are_found_if_atomics_order_nothing) {
  for (const char* const name : {"sb-set-fetch", "iriw-fetch-fetch", "wrc-nofence", "mp-set-set"})
    EXPECT_TRUE(
        fails(explore(translated_tests(name).at(0), false, {.ordered_atomics = true}), "met"))
        << name;
}

}  // namespace
}  // namespace gondwana::litmus
