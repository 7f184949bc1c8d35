// Packed puts, gets and accumulates, over every transport.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "remote/client/client.hpp"
#include "remote/transport.hpp"
#include "support/agents.hpp"
#include "support/faulty.hpp"
#include "support/loopback/loopback.hpp"

namespace gondwana::test {
namespace {

constexpr Rank me{0};
constexpr Rank peer{1};
constexpr std::size_t area = 256 * 1024;
constexpr std::size_t area_offset = NodePlan::globals_offset;

// Two ranks on different nodes. The first has a wire.
class Packed : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string over = GetParam();
    const bool goes_by_network = over == "ofi" || over == "agents";
    if (goes_by_network && !has_network()) GTEST_SKIP() << "no libfabric here";
    for (std::uint32_t node = 0; node < 2; ++node) {
      Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create({1, node, node, 2, 2});
      ASSERT_TRUE(memory) << memory.error().text;
      memory_.push_back(*std::move(memory));
    }
    wire_ = goes_by_network ? network(over == "agents") : queue(over == "faulty");
    there_ = memory_[1]->window(peer) + area_offset;
    for (std::size_t i = 0; i < area; ++i) there_[i] = old_byte(i);
  }

  // The initial bytes at the peer.
  static std::byte old_byte(std::size_t at) { return static_cast<std::byte>(at * 37 + (at >> 9)); }
  std::byte* there() { return there_; }
  Wire& wire() { return wire_; }
  std::size_t most() const { return wire_.limits().packs_up_to; }

  void put_packed(std::span<const StridedRun> pieces, Completion& done) {
    post([&] { return wire_->put_packed(peer, pieces, done); });
  }
  void get_packed(std::span<const StridedRun> pieces, Completion& done) {
    post([&] { return wire_->get_packed(peer, pieces, done); });
  }
  void accumulate(const Accumulation& what, std::span<const StridedRun> pieces, Completion& done) {
    post([&] { return wire_->accumulate(peer, what, pieces, done); });
  }
  AccumulateLocks& locks() { return memory_[1]->page(peer).accumulate_locks; }
  // False: timeout.
  bool progress_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      if (done()) return true;
      wire_->progress();
    }
    return false;
  }
  bool complete(Completion& done) {
    return progress_until([&] { return done.done(); });
  }

 private:
  void post(const std::function<Result<Posted>()>& attempt) {
    ASSERT_TRUE(progress_until([&] {
      const Result<Posted> posted = attempt();
      EXPECT_TRUE(posted) << posted.error().text;
      return !posted || *posted == Posted::accepted;
    }));
  }
  Wire network(bool through_agent) {
    agents_ = start_agents(memory_, {.carries = through_agent});
    Result<std::unique_ptr<RemoteClient>> ofi =
        RemoteClient::open({.memory = memory_[0],
                            .me = me,
                            .job_tag = job_tag,
                            .settings = loopback_network(),
                            .through_agent = through_agent});
    GONDWANA_ASSERT(static_cast<bool>(ofi), 0);
    return Wire(*std::move(ofi));
  }
  Wire queue(bool is_faulty) {
    auto loopback = std::make_unique<Loopback>(
        Loopback::Setup{.nodes = memory_, .me = me, .boxes = std::make_shared<MessageQueues>(2)});
    if (!is_faulty) return Wire(std::move(loopback));
    return Wire(std::make_unique<Faulty>(std::move(loopback), 1));
  }

  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
  Wire wire_;
  std::byte* there_ = nullptr;
};

// A packed put or get, and its effect byte by byte.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) { return engine_() % limit; }
  // Each byte of `here` and of the area at the peer belongs to at most one piece.
  std::vector<StridedRun> pieces(std::byte* here, std::size_t room) {
    std::vector<StridedRun> all;
    std::size_t there_at = area_offset;
    std::size_t here_at = 0;
    for (std::size_t sorts = 1 + below(5); sorts > 0; --sorts) {
      StridedRun next{.size = 1 + below(below(2) == 0 ? 9 : 100), .count = 1 + below(12)};
      if (next.bytes() > room) break;
      room -= next.bytes();
      std::tie(next.there, next.there_stride) = steps(next, there_at);
      std::size_t begin = 0;
      std::tie(begin, next.here_stride) = steps(next, here_at);
      next.here = here + begin;
      all.push_back(next);
    }
    return all;
  }

 private:
  std::pair<std::size_t, std::ptrdiff_t> steps(const StridedRun& pieces, std::size_t& at) {
    const std::size_t step = pieces.size + below(20);
    const std::size_t last = at + step * (pieces.count - 1);
    const std::size_t first = at;
    at = last + pieces.size + below(16);
    if (below(3) == 0) return {last, -static_cast<std::ptrdiff_t>(step)};
    return {first, static_cast<std::ptrdiff_t>(step)};
  }

  std::mt19937_64 engine_;
};

template <typename Each>
void for_each_byte(std::span<const StridedRun> all, const Each& each) {
  for (const StridedRun& pieces : all)
    for (std::size_t i = 0; i < pieces.count; ++i)
      for (std::size_t k = 0; k < pieces.size; ++k) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        each(pieces.there - area_offset + static_cast<std::size_t>(at * pieces.there_stride) + k,
             pieces.here[at * pieces.here_stride + static_cast<std::ptrdiff_t>(k)]);
      }
}

TEST_P(Packed, bytes_go_to_their_places_and_nowhere_else) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::byte> source(area);
    for (std::byte& each : source) each = static_cast<std::byte>(random.below(256));
    const std::vector<StridedRun> pieces = random.pieces(source.data(), most());
    std::vector<std::byte> expected(there(), there() + area);
    for_each_byte(pieces, [&](std::size_t at, std::byte byte) { expected[at] = byte; });
    Completion done;
    put_packed(pieces, done);
    std::ranges::fill(source, std::byte{0});  // it can be reused
    ASSERT_TRUE(complete(done));
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), there())) << "round " << round;
  }
}

TEST_P(Packed, bytes_come_to_their_places_and_nowhere_else) {
  Random random(2);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::byte> target(area, std::byte{0xee});
    std::vector<std::byte> expected = target;
    const std::vector<StridedRun> pieces = random.pieces(target.data(), most());
    for_each_byte(pieces, [&](std::size_t at, std::byte& byte) {
      expected[static_cast<std::size_t>(&byte - target.data())] = old_byte(at);
    });
    Completion done;
    get_packed(pieces, done);
    ASSERT_TRUE(complete(done));
    ASSERT_EQ(target, expected) << "round " << round;
  }
}

TEST_P(Packed, as_much_goes_as_the_limits_say) {
  std::vector<std::byte> bytes(most());
  const StridedRun whole{.size = 1,
                         .count = bytes.size(),
                         .there = area_offset + 2 * bytes.size() - 2,
                         .there_stride = -2,
                         .here = bytes.data(),
                         .here_stride = 1};
  Completion done;
  get_packed(std::span(&whole, 1), done);
  ASSERT_TRUE(complete(done));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(bytes[i], old_byte(2 * (bytes.size() - 1 - i))) << i;
  std::ranges::fill(bytes, std::byte{5});
  put_packed(std::span(&whole, 1), done);
  ASSERT_TRUE(complete(done));
  for (std::size_t i = 0; i < 2 * bytes.size(); ++i)
    ASSERT_EQ(there()[i], i % 2 == 0 ? std::byte{5} : old_byte(i)) << i;
  std::vector<StridedRun> many(max_runs, StridedRun{.size = 1, .count = 1, .there = area_offset});
  for (std::size_t i = 0; i < many.size(); ++i) many[i].here = bytes.data() + i;
  get_packed(many, done);
  ASSERT_TRUE(complete(done));
}

// All are in flight together, some of them after puts of the bytes that they get.
TEST_P(Packed, many_gets_see_the_puts_before_them) {
  constexpr std::size_t rounds = 300;
  const std::size_t size = most() / 2 - 1;
  std::vector<std::byte> source(size);
  std::vector<std::vector<std::byte>> got(rounds, std::vector<std::byte>(size + 1));
  Completion done;
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::size_t bytes = i % 3 == 0 ? 1 : size;  // short answers overtake long ones
    std::ranges::fill(source, static_cast<std::byte>(i));
    StridedRun place{.size = bytes, .count = 1, .there = area_offset + i % 2 * size};
    place.here = source.data();
    put_packed(std::span(&place, 1), done);
    if (wire()->has_unordered()) {
      ASSERT_TRUE(complete(done));
    }
    place.here = got[i].data();
    get_packed(std::span(&place, 1), done);
    ASSERT_TRUE(i % 2 == 0 || complete(done));
    ASSERT_TRUE(!done.done() || got[i][bytes - 1] == static_cast<std::byte>(i)) << i;
    got[i].back() = static_cast<std::byte>(bytes == 1);
  }
  ASSERT_TRUE(complete(done));
}

// A word is stored and loaded whole: no other thread sees half of one.
TEST_P(Packed, words_are_never_torn) {
  constexpr std::size_t count = 16;
  auto* words = reinterpret_cast<std::uint64_t*>(there());
  std::fill_n(words, 2 * count, 0);
  std::atomic<bool> over = false;
  std::atomic<bool> torn = false;
  const auto is_whole = [](std::uint64_t word) { return word % 0x0101'0101'0101'0101 == 0; };
  const std::jthread reader([&] {
    while (!over)
      for (std::size_t i = 0; i < count; ++i)
        if (!is_whole(std::atomic_ref(words[2 * i]).load(std::memory_order_relaxed))) torn = true;
  });
  std::array<std::uint64_t, count> here{};
  const StridedRun pieces{.size = 8,
                          .count = count,
                          .there = area_offset,
                          .there_stride = 16,
                          .here = reinterpret_cast<std::byte*>(here.data()),
                          .here_stride = 8};
  for (std::uint64_t round = 1; round <= 200; ++round) {
    here.fill(round % 256 * 0x0101'0101'0101'0101);
    Completion done;
    put_packed(std::span(&pieces, 1), done);
    here.fill(1);
    if (wire()->has_unordered()) {
      EXPECT_TRUE(complete(done));
    }
    get_packed(std::span(&pieces, 1), done);
    ASSERT_TRUE(complete(done));
    ASSERT_TRUE(std::ranges::all_of(here, [&](std::uint64_t word) {
      return word == round % 256 * 0x0101'0101'0101'0101;
    })) << round;
  }
  over = true;
  EXPECT_FALSE(torn);
}

// Pieces of elements that begin anywhere, some across stripes.
TEST_P(Packed, elements_are_scaled_and_added) {
  constexpr std::size_t count = 2000;
  std::vector<double> expected(area / sizeof(double), 1.0);
  auto* numbers = reinterpret_cast<double*>(there());
  std::ranges::copy(expected, numbers);
  std::array<double, count> source{};
  for (std::size_t i = 0; i < count; ++i) source[i] = static_cast<double>(i) - 100;
  const double scale = 0.5;
  const Accumulation what(AccumulateType::float64, &scale);
  Completion done;
  const std::size_t most_elements = wire().limits().accumulates_up_to / sizeof(double);
  for (std::size_t round = 0; round < 40; ++round) {
    const std::size_t size = 1 + round % 7;
    const std::size_t pieces = std::min<std::size_t>({50, most_elements / size, count / size});
    const std::size_t first = 1990 + 31 * round;  // near the end of a stripe at first
    const std::size_t step = size + round % 3;
    const StridedRun run{.size = size * sizeof(double),
                         .count = pieces,
                         .there = area_offset + first * sizeof(double),
                         .there_stride = static_cast<std::ptrdiff_t>(step * sizeof(double)),
                         .here = reinterpret_cast<std::byte*>(source.data()),
                         .here_stride = static_cast<std::ptrdiff_t>(size * sizeof(double))};
    accumulate(what, std::span(&run, 1), done);
    for (std::size_t i = 0; i < pieces * size; ++i)
      expected[first + i / size * step + i % size] += scale * source[i];
  }
  ASSERT_TRUE(complete(done));
  EXPECT_TRUE(std::ranges::equal(expected, std::span(numbers, expected.size())));
}

// A process of that node adds to the same stripe. The agent does not block on it, and requests of
// the same rank keep their order.
TEST_P(Packed, an_accumulate_waits_for_a_lock_and_later_puts_for_it) {
  const std::string over = GetParam();
  if (over != "ofi" && over != "agents") GTEST_SKIP() << "the rank itself adds, and would wait";
  std::array<std::uint64_t, 512> ones{};
  ones.fill(1);
  auto* words = reinterpret_cast<std::uint64_t*>(there());
  std::fill_n(words, 8192, 0);
  HeldStripes held(locks());
  ASSERT_TRUE(held.try_move_to(area_offset + AccumulateLocks::stripe, 8));
  Completion done;
  const StridedRun across{.size = sizeof(ones),
                          .count = 1,
                          .there = area_offset + AccumulateLocks::stripe - 1024,
                          .here = reinterpret_cast<std::byte*>(ones.data())};
  const StridedRun later{.size = 8,
                         .count = 1,
                         .there = area_offset + 8 * 8000,
                         .here = reinterpret_cast<std::byte*>(ones.data())};
  const std::span first_words(words + AccumulateLocks::stripe / 8 - 128, 512);
  const auto load = [](std::uint64_t& word) {
    return std::atomic_ref(word).load(std::memory_order_relaxed);
  };
  accumulate(Accumulation::unscaled(AccumulateType::int64), std::span(&across, 1), done);
  put_packed(std::span(&later, 1), done);
  ASSERT_TRUE(progress_until([&] { return load(first_words[127]) == 1; })) << "up to the stripe";
  for (int i = 0; i < 1000; ++i) wire()->progress();
  EXPECT_EQ(load(first_words[128]), 0U);
  EXPECT_EQ(load(words[8000]), 0U);
  held.release();
  ASSERT_TRUE(complete(done));
  for (std::uint64_t& word : first_words) ASSERT_EQ(load(word), 1U) << "each is added once";
  EXPECT_EQ(load(words[8000]), 1U);
}

INSTANTIATE_TEST_SUITE_P(over, Packed, testing::Values("loopback", "faulty", "ofi", "agents"),
                         [](const auto& over) { return std::string(over.param); });

}  // namespace
}  // namespace gondwana::test
