#include "litmus/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "core/hash.hpp"
#include "litmus/operations.hpp"
#include "sync/atomics.hpp"

namespace gondwana::litmus {
namespace {

constexpr std::size_t max_instances = 512;
constexpr std::size_t max_observed = 16;
constexpr std::size_t scratch_chunk_words = std::size_t{1} << 16;
constexpr long overwritten = -7777;  // what a source holds once its put has returned

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

bool needs_quiet(Act act) {
  return act == Act::put_nbi || act == Act::put_signal_nbi;
}

}  // namespace

void Door::pause(unsigned length) {
  for (unsigned i = 0; i < length; ++i) relax();
}

Runner::Runner(Door& door, const RunnerOptions& options)
    : door_(door),
      options_(options),
      pauses_(options.seed, 1000 + at(door.me())),
      pool_(door.allocate(options.pool_words)),
      results_(door.allocate(max_observed * max_instances)),
      goes_on_(door.allocate(1)),
      reach_(door.allocate(at(door.size() * door.size()))) {
  share_reach();
  // Between nodes an operation takes a thousand times as long.
  const bool is_one_node = std::all_of(reach_, reach_ + at(door.size() * door.size()),
                                       [](long one) { return one != 0; });
  if (options_.instances == 0) options_.instances = is_one_node ? max_instances : 8;
}

void Runner::print(const std::string& text) const {
  if (door_.me() == 0) options_.print(text);
}

void Runner::put_word(long* word, const long* from, std::size_t words, int pe) {
  const Call call{.act = Act::put, .target = word, .words = words, .pe = pe, .source = from};
  door_.perform(call);
}

void Runner::share_reach() {
  const int ranks = door_.size();
  std::vector<long> mine;
  mine.reserve(at(ranks));
  for (int pe = 0; pe < ranks; ++pe) mine.push_back(door_.pointer_to(pool_, pe) != nullptr ? 1 : 0);
  for (int pe = 0; pe < ranks; ++pe)
    put_word(reach_ + at(door_.me() * ranks), mine.data(), mine.size(), pe);
  door_.barrier();
}

bool Runner::run(const std::vector<LitmusTest>& tests) {
  bool is_good = true;
  const Clock::time_point begin = Clock::now();
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const double share = options_.seconds * static_cast<double>(i + 1);
    const auto length = std::chrono::duration<double>(share / static_cast<double>(tests.size()));
    is_good &= run_test(tests[i], begin + std::chrono::duration_cast<Clock::duration>(length));
  }
  return is_good;
}

bool Runner::run_test(const LitmusTest& test, Clock::time_point end) {
  for (const auto& program : test.programs)
    for (const Operation& operation : program)
      if (!is_of_language(operation.act) && !door_.knows(operation.act)) {
        print(fmt::format("{}: {} does not exist in {}\n", test.name, form_of(operation.act).name,
                          door_.name()));
        return false;
      }
  if (test.ranks() > door_.size() || test.observed.size() > max_observed) {
    print(fmt::format("{}: skipped: it needs {} ranks\n", test.name, test.ranks()));
    return true;
  }
  const BatchLimits limits{
      .pool_words = options_.pool_words,
      .instances = std::min(options_.instances, max_instances),
      .ranks = door_.size(),
      .reaches = [this](int from, int to) { return reach_[at(from * door_.size() + to)] != 0; }};
  Outcomes outcomes(test);
  bool goes_on = true;
  for (std::uint64_t i = 0; goes_on; ++i) {
    // A test that runs alone draws the same batches.
    const std::uint64_t stream = Hash().add(std::string_view(test.name)).value() + i;
    Random random(options_.seed, stream);
    pauses_ = Random(options_.seed, stream + ((at(door_.me()) + 1) << 48));
    const std::optional<Batch> batch = Batch::draw(test, limits, random);
    if (!batch) {
      print(fmt::format("{}: skipped: no ranks whose loads and stores reach each other\n",
                        test.name));
      return true;
    }
    prepare(test, *batch);
    door_.barrier();
    run_instances(test, *batch);
    door_.barrier();
    publish(test, *batch);
    std::fill_n(pool_, batch->used_words(), 0);
    if (door_.me() == 0)
      decide(Clock::now() < end || outcomes.total() + batch->instances() < options_.iterations);
    door_.barrier();
    if (door_.me() == 0) count(test, *batch, i, outcomes);
    goes_on = *goes_on_ != 0;
  }
  print(outcomes.table());
  return outcomes.forbidden() == 0;
}

void Runner::prepare(const LitmusTest& test, const Batch& batch) {
  scratch_chunk_ = 0;
  scratch_used_ = 0;
  registers_.assign(test.registers.size(), std::vector<Result>(batch.instances(), Result{}));
  const int role = batch.role_of(door_.me());
  for (const Initial& initial : test.initial) {
    if (initial.place.rank != role) continue;
    const std::size_t word = initial.place.word == nothing ? 0 : at(initial.place.word);
    const std::size_t words =
        initial.place.word == nothing ? batch.words(initial.place.location) : 1;
    for (std::size_t i = 0; i < batch.instances(); ++i)
      std::fill_n(own(batch, initial.place.location, i) + word, words, initial.value);
  }
}

// Ranks without a part in the test take part in its collective operations.
void Runner::run_instances(const LitmusTest& test, const Batch& batch) {
  const int role = batch.role_of(door_.me());
  const auto& program = test.programs[at(std::max(role, 0))];
  for (std::size_t i = 0; i < batch.instances(); ++i)
    for (const Operation& operation : program)
      if (role != nobody || is_collective(operation.act)) perform(batch, operation, role, i);
}

void Runner::perform(const Batch& batch, const Operation& operation, int role,
                     std::size_t instance) {
  const Call call = call_of(batch, operation, role, instance);
  if (operation.reg != nothing)
    registers_[at(operation.reg)][instance] = {
        call.result, form_of(operation.act).takes_arrays ? call.words : 1};
  if (batch.max_pause() > 0) door_.pause(static_cast<unsigned>(pauses_.below(batch.max_pause())));
  if (is_of_language(operation.act)) return perform_here(call);
  door_.perform(call);
  // The source of a blocking put may be reused at once.
  if (call.source != nullptr && operation.value.location == nothing && !needs_quiet(operation.act))
    std::fill_n(const_cast<long*>(call.source), call.words, overwritten);
}

void Runner::perform_here(const Call& call) {
  if (call.act == Act::thread_fence) return std::atomic_thread_fence(std::memory_order_seq_cst);
  long* const place = call.pe == door_.me() ? call.target : door_.pointer_to(call.target, call.pe);
  if (call.act == Act::load)
    std::copy_n(place, call.words, call.result);
  else if (call.act == Act::store)
    std::copy_n(call.source, call.words, place);
  else if (call.act == Act::load_relaxed)
    *call.result = std::atomic_ref(*place).load(std::memory_order_relaxed);
  else
    std::atomic_ref(*place).store(call.value, std::memory_order_relaxed);
}

Call Runner::call_of(const Batch& batch, const Operation& operation, int role,
                     std::size_t instance) {
  const Form& form = form_of(operation.act);
  Call call{.act = operation.act, .context = operation.context, .pe = door_.me()};
  if (const Place& place = operation.place; place.location != nothing) {
    call.target = own(batch, place.location, instance) + (place.word == nothing ? 0 : place.word);
    call.words = place.word == nothing ? batch.words(place.location) : 1;
    if (place.rank != nobody) call.pe = batch.pe_of(place.rank);
  }
  if (operation.peer != nobody) call.pe = batch.pe_of(operation.peer);
  if (const Place& place = operation.signal; place.location != nothing) {
    call.signal = own(batch, place.location, instance) + (place.word == nothing ? 0 : place.word);
    call.signal_pe = place.rank == nobody ? door_.me() : batch.pe_of(place.rank);
    call.signal_value = operation.signal_value;
  }
  if (form.takes_arrays && form.gives == Gives::none)
    call.source = source_of(batch, operation, call.words, instance);
  else if (operation.value.location == nothing)
    call.value = number(operation.value, instance);
  call.other = operation.other.number;
  if (form.gives == Gives::value) {
    call.result = operation.result == nothing ? filled(call.words, overwritten)
                                              : own(batch, operation.result, instance);
  }
  if (role == nobody) call.result = nullptr;
  return call;
}

long* Runner::own(const Batch& batch, int location, std::size_t instance) const {
  return pool_ + batch.offset(location, instance);
}

const long* Runner::source_of(const Batch& batch, const Operation& operation, std::size_t words,
                              std::size_t instance) {
  if (operation.value.location != nothing) return own(batch, operation.value.location, instance);
  return filled(words, number(operation.value, instance));
}

long Runner::number(const Value& value, std::size_t instance) const {
  if (value.reg == nothing) return value.number;
  const Result& result = registers_[at(value.reg)][instance];
  return value_of(result.words, result.count);
}

// For each observed value, its rank sends those of all instances to rank 0.
void Runner::publish(const LitmusTest& test, const Batch& batch) {
  const int role = batch.role_of(door_.me());
  for (std::size_t i = 0; i < test.observed.size(); ++i) {
    const Observed& seen = test.observed[i];
    const Place& place = seen.place;
    const int owner = seen.reg == nothing ? place.rank : test.registers[at(seen.reg)].rank;
    if (owner != role) continue;
    long* const values = scratch(batch.instances());
    for (std::size_t k = 0; k < batch.instances(); ++k) {
      if (seen.reg != nothing) {
        values[k] = number({.number = 0, .reg = seen.reg, .location = nothing}, k);
      } else {
        const long* const words = own(batch, place.location, k);
        values[k] = place.word == nothing ? value_of(words, batch.words(place.location))
                                          : words[place.word];
      }
    }
    put_word(results_ + i * max_instances, values, batch.instances(), 0);
  }
}

void Runner::decide(bool goes_on) {
  const long decision = goes_on ? 1 : 0;
  for (int pe = 0; pe < door_.size(); ++pe) put_word(goes_on_, &decision, 1, pe);
}

void Runner::count(const LitmusTest& test, const Batch& batch, std::uint64_t number_of_batch,
                   Outcomes& outcomes) {
  for (std::size_t k = 0; k < batch.instances(); ++k) {
    Outcome outcome;
    for (std::size_t i = 0; i < test.observed.size(); ++i)
      outcome.push_back(results_[i * max_instances + k]);
    const Condition* const condition = outcomes.add(outcome);
    if (condition == nullptr || outcomes.forbidden() > 1) continue;
    print(fmt::format("{}: the forbidden outcome {} ({}), seed {}, batch {}: instance {} of {}\n",
                      test.name, to_string(test, outcome), condition->text, options_.seed,
                      number_of_batch, k, batch.description()));
  }
}

long* Runner::scratch(std::size_t words) {
  if (scratch_used_ + words > scratch_chunk_words) {
    ++scratch_chunk_;
    scratch_used_ = 0;
  }
  if (scratch_chunk_ >= scratch_.size())
    scratch_.push_back(std::make_unique<long[]>(scratch_chunk_words));
  long* const begin = scratch_[scratch_chunk_].get() + scratch_used_;
  scratch_used_ += words;
  return begin;
}

long* Runner::filled(std::size_t words, long value) {
  long* const begin = scratch(words);
  std::fill_n(begin, words, value);
  return begin;
}

}  // namespace gondwana::litmus
