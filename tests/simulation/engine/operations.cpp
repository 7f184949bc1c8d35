#include "simulation/engine/operations.hpp"

#include <fmt/format.h>

#include <cstring>

#include "engine/rma/near_accumulate.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::size_t word = 8;

int pe_of(const Action& action) {
  return static_cast<int>(action.pe);
}

std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// Each element by a call of its own.
void put_words(RankContext& rank, std::byte* target, const Action& action) {
  auto* const words = reinterpret_cast<std::uint64_t*>(target);
  for (std::size_t i = 0; i < action.size / word; ++i)
    shmem::p(rank.as("p"), words + i, word_at(action.bytes.data() + i * word), pe_of(action));
}

void put(RankContext& rank, const Action& action) {
  std::byte* const target = rank.area(rank.me()) + action.offset;
  const int pe = pe_of(action);
  const std::size_t words = action.size / word;
  const std::byte* const source = rank.keep(action.bytes).data();
  switch (action.act) {
    case Act::put_nbi:
      return shmem::put_nbi<word>(rank.as("put_nbi"), target, source, words, pe);
    case Act::put_strided:
      shmem::iput<word>(rank.as("iput"), target, source, 2, 1, words, pe);
      break;
    case Act::put_blocks:
      shmem::ibput<word>(rank.as("ibput"), target, source, 8, 4, 4, words / 4, pe);
      break;
    case Act::put:
      shmem::put<word>(rank.as("put"), target, source, words, pe);
      break;
    default:
      put_words(rank, target, action);
  }
  rank.overwrite_last();
}

void get(RankContext& rank, const Action& action) {
  const int pe = pe_of(action);
  const std::byte* const source = rank.area(action.writer) + action.offset;
  std::byte* const found = rank.keep(std::vector<std::byte>(action.size)).data();
  const std::size_t words = action.size / word;
  if (action.act == Act::get) shmem::get<word>(rank.as("get"), found, source, words, pe);
  if (action.act == Act::get_strided)
    shmem::iget<word>(rank.as("iget"), found, source, 1, 2, words, pe);
  if (action.act == Act::get_nbi)
    shmem::get_nbi<word>(rank.as("get_nbi"), found, source, words, pe);
  for (std::size_t at = 0; action.act == Act::get_words && at < action.size; at += action.value)
    shmem::get_nbi<word>(rank.as("get_nbi"), found + at, source + at,
                         std::min<std::size_t>(action.value, action.size - at) / word, pe);
  const auto check = [&rank, &action, found] {
    rank.expect_bytes(found, action.bytes,
                      fmt::format("a get from offset {} of the area of rank {} at PE {}",
                                  action.offset, action.writer, action.pe));
  };
  if (action.act == Act::get_nbi || action.act == Act::get_words) return rank.after_quiet(check);
  check();
  rank.overwrite_last();
}

// Each update by this rank adds to what an earlier one has seen.
void add_to_sum(RankContext& rank, const Action& action) {
  const int pe = pe_of(action);
  std::uint64_t* const sum = &rank.sums[action.offset];
  if (action.act == Act::add)
    return shmem::update<AtomicOp::add>(rank.as("atomic_add"), sum, action.value, pe);
  const std::uint64_t most = rank.program.phases[rank.number].after.sums[action.pe][action.offset];
  const auto check = [&rank, &action, most](std::uint64_t old, std::uint64_t least) {
    rank.expect(old >= least && old + action.value <= most,
                fmt::format("a fetch_add at PE {} has found {}, after {}, of {}", action.pe, old,
                            least, most));
  };
  std::uint64_t& seen = rank.seen[action.pe][action.offset];
  if (action.act == Act::fetch_add_nbi) {
    std::uint64_t& old = rank.results.emplace_back(~std::uint64_t{0});
    shmem::atomic_nbi<AtomicOp::add>(rank.as("atomic_fetch_add_nbi"), &old, sum, action.value, pe);
    return rank.after_quiet([&old, check, least = seen] { check(old, least); });
  }
  const std::uint64_t old =
      shmem::atomic<AtomicOp::add>(rank.as("atomic_fetch_add"), sum, action.value, pe);
  check(old, seen);
  seen = old + action.value;
}

void change_cell(RankContext& rank, const Action& action) {
  std::uint64_t* const cell = &rank.cells[rank.me()];
  const int pe = pe_of(action);
  const std::uint64_t old =
      action.act == Act::swap
          ? shmem::atomic<AtomicOp::swap>(rank.as("atomic_swap"), cell, action.value, pe)
          : shmem::atomic_compare_swap(rank.as("atomic_compare_swap"), cell, action.other,
                                       action.value, pe);
  rank.expect(old == action.found,
              fmt::format("a swap at PE {} has found {}, not {}", action.pe, old, action.found));
}

// A lock is held between two pieces.
void add_in_pieces(RankContext& rank, NearAccumulate& near, std::byte* target, Bytes source) {
  constexpr std::size_t longest = 128 * word;
  for (std::size_t at = 0; at < source.size(); at += longest) {
    near.add(target + at, source.data() + at, std::min(longest, source.size() - at));
    rank.machine.step();
  }
}

// As the door of ARMCI does it.
void accumulate(RankContext& rank, const Action& action) {
  std::vector<std::uint64_t> terms(action.size / word);
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = action.value + i;
  const std::uint64_t one = 1;
  const Accumulation what(AccumulateType::int64, &one);
  Engine& engine = rank.as("accumulate").engine;
  const Rank to{action.pe};
  const std::size_t offset =
      engine.symmetric().ranges().offset_of(&rank.totals[action.offset], action.size);
  auto* const source = reinterpret_cast<std::byte*>(terms.data());
  if (engine.rma().reach().covers(to)) {
    NearAccumulate near(engine.memory(), engine.waiter(), "accumulate", to, what);
    return add_in_pieces(rank, near, engine.memory().window(to) + offset, {source, action.size});
  }
  const StridedRun run{.size = action.size, .count = 1, .there = offset, .here = source};
  Lane& lane = engine.default_lane();
  const auto begun =
      engine.remote().begin_accumulate(lane, to, what, std::span(&run, 1), lane.posted().pending());
  rank.expect(begun == RemoteAccess::Begun::pending, "an accumulate does not begin");
}

void count_locked(RankContext& rank) {
  shmem::set_lock(rank.as("set_lock"), rank.lock.data());
  const std::uint64_t before = shmem::g(rank.as("g"), rank.counter.data(), 0);
  rank.machine.step();
  shmem::p(rank.as("p"), rank.counter.data(), before + 1, 0);
  rank.quiet();
  shmem::clear_lock(rank.as("clear_lock"), rank.lock.data());
}

// After it, the flag of this rank at the target has the number of the phase.
void send_mail(RankContext& rank, const Action& action) {
  const int pe = pe_of(action);
  const std::byte* const source = rank.keep(action.bytes).data();
  const std::size_t words = action.size / word;
  std::byte* const target = rank.mail(rank.me());
  std::uint64_t* const flag = &rank.flags[rank.me()];
  const std::uint64_t number = rank.number + 1;
  const std::uint64_t before = std::exchange(rank.sent[action.pe], number);
  const int op = action.other == 0 ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD;
  const std::uint64_t value = action.other == 0 ? number : number - before;
  if (action.act == Act::put_signal_nbi)
    return shmem::put_signal_nbi<word>(rank.as("put_signal_nbi"), target, source, words, flag,
                                       value, op, pe);
  if (action.act == Act::put_signal) {
    shmem::put_signal<word>(rank.as("put_signal"), target, source, words, flag, value, op, pe);
  } else {
    shmem::put<word>(rank.as("put"), target, source, words, pe);
    shmem::fence(rank.as("fence"));
    shmem::p(rank.as("p"), flag, number, pe);
  }
  rank.overwrite_last();
}

}  // namespace

void perform(RankContext& rank, const Action& action) {
  rank.machine.step();
  switch (action.act) {
    case Act::compute:
      return rank.machine.sleep(action.value);
    case Act::fence:
      return shmem::fence(rank.as("fence"));
    case Act::quiet:
      return rank.quiet();
    case Act::get:
    case Act::get_nbi:
    case Act::get_words:
    case Act::get_strided:
      return get(rank, action);
    case Act::add:
    case Act::fetch_add:
    case Act::fetch_add_nbi:
      return add_to_sum(rank, action);
    case Act::toggle:
      return shmem::update<AtomicOp::bit_xor>(rank.as("atomic_xor"), rank.bits.data(), action.value,
                                              pe_of(action));
    case Act::swap:
    case Act::compare_swap:
      return change_cell(rank, action);
    case Act::accumulate:
      return accumulate(rank, action);
    case Act::count_locked:
      return count_locked(rank);
    case Act::put_signal:
    case Act::put_signal_nbi:
    case Act::put_flag:
      return send_mail(rank, action);
    default:
      return put(rank, action);
  }
}

}  // namespace gondwana::simulation
