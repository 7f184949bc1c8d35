// GEX_FLAG_IMMEDIATE: without space the call does nothing and reports that.
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "gasnet_ratomic.h"
#include "gasnet_vis.h"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr std::size_t segment_size = std::size_t{1} << 20;
constexpr gex_Flags_t immediate = GEX_FLAG_IMMEDIATE;
constexpr int rounds = 10;

using Block = std::vector<std::byte>;

Block filled(std::size_t size, int number) {
  return Block(size, static_cast<std::byte>(number % 251));
}

// How often each call was made and refused, with one peer.
class Tally {
 public:
  explicit Tally(const World& world)
      : is_near_(Team::of(world.team).reaches(world.right())), is_faulty_(world.is_wire_faulty) {}
  ~Tally() {
    if (is_near_) {
      EXPECT_EQ(refused_, 0) << "there is always room in memory";
    } else if (is_faulty_) {
      EXPECT_GT(refused_, 0);
    }
  }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  // Retries until the call is accepted; `look` checks after each refusal that nothing happened.
  void ask(const std::function<bool()>& begins, const std::function<void()>& look) {
    while (!begins()) {
      ++refused_;
      look();
      gasnet_AMPoll();
    }
  }

 private:
  bool is_near_;
  bool is_faulty_;
  int refused_ = 0;
};

bool waited(gex_Event_t event) {
  if (event == GEX_EVENT_NO_OP) return false;
  gex_Event_Wait(event);
  return true;
}

bool waited(int refused) {
  if (refused == 0) gex_NBI_Wait(GEX_EC_ALL, 0);
  return refused == 0;
}

// The memory of the right neighbour that only this rank writes.
struct Target {
  Block read(std::size_t size) const {
    Block got(size);
    gex_RMA_GetBlocking(world.team, got.data(), world.right(), there, size, 0);
    return got;
  }

  World& world;
  std::byte* there;
};

Target make_target(World& world) {
  std::byte* own = world.attach(segment_size);
  std::fill_n(own, segment_size, std::byte{0});
  world.barrier();
  return {world, world.segment_of(world.right())};
}

GASNET_TEST(immediate_puts_are_done_or_refused, 1) {
  const Target target = make_target(world);
  Tally tally(world);
  const gex_Rank_t peer = world.right();
  using Put = std::function<bool(const Block&)>;
  gex_Event_t leaf = GEX_EVENT_INVALID;
  const auto nb = [&](const Block& source, gex_Event_t* lc_opt) {
    return gex_RMA_PutNB(world.team, peer, target.there, source.data(), source.size(), lc_opt,
                         immediate);
  };
  const auto nbi = [&](const Block& source, gex_Event_t* lc_opt) {
    return gex_RMA_PutNBI(world.team, peer, target.there, source.data(), source.size(), lc_opt,
                          immediate);
  };
  const std::array<Put, 6> puts{
      [&](const Block& source) { return waited(nb(source, GEX_EVENT_NOW)); },
      [&](const Block& source) { return waited(nb(source, GEX_EVENT_DEFER)); },
      [&](const Block& source) { return waited(nb(source, &leaf)); },
      [&](const Block& source) { return waited(nbi(source, GEX_EVENT_NOW)); },
      [&](const Block& source) { return waited(nbi(source, GEX_EVENT_DEFER)); },
      [&](const Block& source) {
        return waited(gex_RMA_PutBlocking(world.team, peer, target.there, source.data(),
                                          source.size(), immediate));
      }};
  int number = 0;
  for (const std::size_t size : {1, 4, 8, 100, 5000, 70'000}) {
    for (int i = 0; i < rounds; ++i) {
      for (const Put& put : puts) {
        const Block before = target.read(size);
        const Block source = filled(size, ++number);
        tally.ask([&] { return put(source); }, [&] { EXPECT_EQ(target.read(size), before); });
        EXPECT_EQ(target.read(size), source);
      }
    }
  }
}

GASNET_TEST(immediate_puts_of_values_are_done_or_refused, 1) {
  const Target target = make_target(world);
  Tally tally(world);
  const gex_Rank_t peer = world.right();
  const auto there = [&] { return gex_RMA_GetBlockingVal(world.team, peer, target.there, 8, 0); };
  using Put = std::function<bool(gex_RMA_Value_t)>;
  const std::array<Put, 3> puts{
      [&](gex_RMA_Value_t value) {
        return waited(gex_RMA_PutNBVal(world.team, peer, target.there, value, 8, immediate));
      },
      [&](gex_RMA_Value_t value) {
        return waited(gex_RMA_PutNBIVal(world.team, peer, target.there, value, 8, immediate));
      },
      [&](gex_RMA_Value_t value) {
        return waited(gex_RMA_PutBlockingVal(world.team, peer, target.there, value, 8, immediate));
      }};
  for (gex_RMA_Value_t value = 1; value <= 30; ++value) {
    const gex_RMA_Value_t before = there();
    tally.ask([&] { return puts[value % puts.size()](value); },
              [&] { EXPECT_EQ(there(), before); });
    EXPECT_EQ(there(), value);
  }
}

GASNET_TEST(immediate_gets_are_done_or_refused, 1) {
  const Target target = make_target(world);
  Tally tally(world);
  const gex_Rank_t peer = world.right();
  using Get = std::function<bool(Block&)>;
  const std::array<Get, 3> gets{
      [&](Block& dest) {
        return waited(
            gex_RMA_GetNB(world.team, dest.data(), peer, target.there, dest.size(), immediate));
      },
      [&](Block& dest) {
        return waited(
            gex_RMA_GetNBI(world.team, dest.data(), peer, target.there, dest.size(), immediate));
      },
      [&](Block& dest) {
        return waited(gex_RMA_GetBlocking(world.team, dest.data(), peer, target.there, dest.size(),
                                          immediate));
      }};
  int number = 0;
  for (const std::size_t size : {1, 8, 100, 5000, 70'000}) {
    for (int i = 0; i < rounds; ++i) {
      for (const Get& get : gets) {
        const Block source = filled(size, ++number);
        gex_RMA_PutBlocking(world.team, peer, target.there, source.data(), size, 0);
        const Block before = filled(size, number + 100);
        Block dest = before;
        tally.ask([&] { return get(dest); }, [&] { EXPECT_EQ(dest, before); });
        EXPECT_EQ(dest, source);
      }
    }
  }
}

// Returns false if all tries were refused.
bool begins(const std::function<bool()>& call) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end)
    if (call()) return true;
  return false;
}

GASNET_TEST(immediate_calls_make_room_by_themselves, 1) {
  const Target target = make_target(world);
  const gex_Rank_t peer = world.right();
  std::array<std::uint64_t, 500> got{};
  const auto cell = [&](std::size_t i) { return target.there + i * sizeof(got[0]); };
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(begins([&] {
      return gex_RMA_PutNBIVal(world.team, peer, cell(i), i + 1, sizeof(got[0]), immediate) == 0;
    }));
  }
  gex_NBI_Wait(GEX_EC_ALL, 0);
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(begins([&] {
      return gex_RMA_GetNBI(world.team, &got[i], peer, cell(i), sizeof(got[i]), immediate) == 0;
    }));
  }
  gex_NBI_Wait(GEX_EC_ALL, 0);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], i + 1);
}

constexpr gex_AM_Index_t counted = 201;
thread_local int times_counted = 0;

void count(gex_Token_t /*token*/) {
  ++times_counted;
}

GASNET_TEST(immediate_messages_make_room_by_themselves, 1) {
  constexpr int most = 500;
  world.add_handler(counted, reinterpret_cast<gex_AM_Fn_t>(&count),
                    GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0);
  times_counted = 0;
  world.barrier();
  const gex_Rank_t me = gex_TM_QueryRank(world.team);
  for (int i = 0; me == 0 && i < most; ++i) {
    ASSERT_TRUE(begins(
        [&] { return gex_AM_RequestShort0(world.team, world.right(), counted, immediate) == 0; }));
  }
  if (me == 1 || world.right() == me) GASNET_BLOCKUNTIL(times_counted == most);
  world.barrier();
}

constexpr gex_AM_Index_t told = 200;
thread_local int times_told = 0;

void note(gex_Token_t /*token*/, void* /*payload*/, size_t /*size*/) {
  ++times_told;
}

// Rows of an array: every second element at the peer, all here.
struct Rows {
  Rows(std::size_t bytes, std::size_t number)
      : element(bytes),
        count{number},
        apart{static_cast<std::ptrdiff_t>(2 * bytes)},
        together{static_cast<std::ptrdiff_t>(bytes)} {}

  std::size_t size() const { return element * count[0]; }
  std::vector<void*> addresses(std::byte* first, std::ptrdiff_t step) const {
    std::vector<void*> all;
    all.reserve(count[0]);
    for (std::size_t i = 0; i < count[0]; ++i)
      all.push_back(first + static_cast<std::ptrdiff_t>(i) * step);
    return all;
  }

  std::size_t element;
  std::array<std::size_t, 1> count;
  std::array<std::ptrdiff_t, 1> apart;
  std::array<std::ptrdiff_t, 1> together;
};

std::vector<gex_Memvec_t> vectors(const std::vector<void*>& addresses, std::size_t length) {
  std::vector<gex_Memvec_t> all;
  all.reserve(addresses.size());
  for (void* address : addresses) all.push_back({address, length});
  return all;
}

bool put_rows(const Target& target, const Rows& rows, Block& ours, int form) {
  const gex_TM_t team = target.world.team;
  const gex_Rank_t peer = target.world.right();
  if (form == 0)
    return waited(gex_VIS_StridedPutNB(team, peer, target.there, rows.apart.data(), ours.data(),
                                       rows.together.data(), rows.element, rows.count.data(), 1,
                                       immediate));
  const std::vector<void*> there = rows.addresses(target.there, rows.apart[0]);
  if (form == 1) {
    void* here = ours.data();
    return waited(gex_VIS_IndexedPutNBI(team, peer, there.size(), there.data(), rows.element, 1,
                                        &here, ours.size(), immediate));
  }
  const std::vector<gex_Memvec_t> pieces = vectors(there, rows.element);
  const gex_Memvec_t whole{ours.data(), ours.size()};
  return waited(
      gex_VIS_VectorPutBlocking(team, peer, pieces.size(), pieces.data(), 1, &whole, immediate));
}

bool get_rows(const Target& target, const Rows& rows, Block& ours, int form) {
  const gex_TM_t team = target.world.team;
  const gex_Rank_t peer = target.world.right();
  if (form == 0)
    return waited(gex_VIS_StridedGetNBI(team, ours.data(), rows.together.data(), peer, target.there,
                                        rows.apart.data(), rows.element, rows.count.data(), 1,
                                        immediate));
  const std::vector<void*> there = rows.addresses(target.there, rows.apart[0]);
  if (form == 1) {
    void* here = ours.data();
    return waited(gex_VIS_IndexedGetBlocking(team, 1, &here, ours.size(), peer, there.size(),
                                             there.data(), rows.element, immediate));
  }
  const std::vector<gex_Memvec_t> pieces = vectors(there, rows.element);
  const gex_Memvec_t whole{ours.data(), ours.size()};
  return waited(
      gex_VIS_VectorGetNB(team, 1, &whole, peer, pieces.size(), pieces.data(), immediate));
}

// Small pieces share a message, large ones have one each, and very many need several messages.
constexpr std::array<std::array<std::size_t, 2>, 3> shapes{{{8, 20}, {6000, 5}, {1000, 400}}};

GASNET_TEST(immediate_transfers_of_pieces_are_done_or_refused, 1) {
  world.add_handler(told, reinterpret_cast<gex_AM_Fn_t>(&note),
                    GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0);
  times_told = 0;
  const Target target = make_target(world);
  int number = 0;
  {
    Tally tally(world);
    for (const auto& [element, count] : shapes) {
      const Rows rows(element, count);
      for (int i = 0; i < 3 * rounds; ++i) {
        const Block before = target.read(2 * rows.size());
        Block source = filled(rows.size(), ++number);
        gex_VIS_SetPeerCompletionHandler(told, nullptr, 0, 0);
        tally.ask([&] { return put_rows(target, rows, source, i % 3); },
                  [&] { EXPECT_EQ(target.read(2 * rows.size()), before); });
        Block got = filled(rows.size(), number + 100);
        const Block untouched = got;
        tally.ask([&] { return get_rows(target, rows, got, i % 3); },
                  [&] { EXPECT_EQ(got, untouched); });
        EXPECT_EQ(got, source);
      }
    }
  }
  GASNET_BLOCKUNTIL(times_told >= number);
  world.barrier();
  EXPECT_EQ(times_told, number) << "a put that was refused tells nobody, the next one does";
}

GASNET_TEST(immediate_atomic_operations_are_done_or_refused, 1) {
  const Target target = make_target(world);
  gex_AD_t integers = GEX_AD_INVALID;
  gex_AD_t numbers = GEX_AD_INVALID;
  gex_AD_Create(&integers, world.team, GEX_DT_U64, GEX_OP_FADD | GEX_OP_FCAS, 0);
  gex_AD_Create(&numbers, world.team, GEX_DT_DBL, GEX_OP_SET | GEX_OP_FMULT, 0);
  std::byte* second = target.there + sizeof(double);
  waited(gex_AD_OpNB_DBL(numbers, nullptr, world.right(), second, GEX_OP_SET, 1, 0, 0));
  {
    Tally tally(world);
    double power = 1;
    for (std::uint64_t i = 0; i < 40; ++i) {
      std::uint64_t old = ~i;
      const auto unchanged = [&] { EXPECT_EQ(old, ~i); };
      tally.ask(
          [&] {
            return i % 2 == 0 ? waited(gex_AD_OpNB_U64(integers, &old, world.right(), target.there,
                                                       GEX_OP_FADD, 1, 0, immediate))
                              : waited(gex_AD_OpNBI_U64(integers, &old, world.right(), target.there,
                                                        GEX_OP_FCAS, i, i + 1, immediate));
          },
          unchanged);
      EXPECT_EQ(old, i);
      double before = 0;
      tally.ask(
          [&] {
            return waited(gex_AD_OpNBI_DBL(numbers, &before, world.right(), second, GEX_OP_FMULT, 2,
                                           0, immediate));
          },
          [&] { EXPECT_EQ(before, 0); });
      EXPECT_EQ(before, power);
      power *= 2;
    }
  }
  gex_AD_Destroy(integers);
  gex_AD_Destroy(numbers);
}

thread_local std::byte* own_segment = nullptr;
thread_local int longs = 0;
thread_local int good_longs = 0;

// All bytes of a payload equal the first.
void check_long(gex_Token_t token, void* payload, size_t size, gex_AM_Arg_t offset) {
  gex_Token_Info_t info{};
  gex_Token_Info(token, &info, GEX_TI_IS_LONG);
  const auto* bytes = static_cast<const std::byte*>(payload);
  const bool is_there = bytes == own_segment + offset;
  const bool is_whole = std::all_of(bytes, bytes + size, [&](std::byte b) { return b == *bytes; });
  ++longs;
  good_longs += is_there && is_whole && info.gex_is_long != 0 ? 1 : 0;
}

// A payload that fits into the message needs no put that would have to be waited for.
GASNET_TEST(immediate_longs_wait_for_nothing, 1) {
  constexpr gex_AM_Arg_t offset = 24;
  constexpr std::array<std::size_t, 5> sizes{1, 100, 5000, longest_medium, 200'000};
  world.add_handler(told, reinterpret_cast<gex_AM_Fn_t>(&check_long),
                    GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1);
  longs = good_longs = 0;
  own_segment = world.attach(segment_size);
  world.barrier();
  std::byte* there = world.segment_of(world.right()) + offset;
  const ThreadSlots& threads = door().engine().memory().threads(Rank(world.me()));
  int sent = 0;
  for (const std::size_t size : sizes) {
    for (int i = 0; i < rounds; ++i) {
      const Block source = filled(size, ++sent);
      std::uint64_t waits = 0;
      const auto begins = [&] {
        waits = threads.count(Count::waits);
        return gex_AM_RequestLong1(world.team, world.right(), told, source.data(), size, there,
                                   GEX_EVENT_NOW, immediate, offset) == 0;
      };
      while (!begins()) gasnet_AMPoll();
      const bool may_wait = size > longest_medium;
      EXPECT_TRUE(may_wait || threads.count(Count::waits) == waits) << size;
      GASNET_BLOCKUNTIL(longs == sent);  // that of the left neighbour
      world.barrier();                   // the next one goes to the same place
    }
  }
  EXPECT_EQ(good_longs, sent);
}

void on_short(gex_Token_t /*token*/) {}

// The calls of another thread while a thread of the rank holds the wire or waits for it.
std::vector<bool> refused_calls(const Target& target) {
  const gex_TM_t team = target.world.team;
  const gex_Rank_t peer = target.world.right();
  std::array<char, 100> bytes{};
  const auto is_refused = [](gex_Event_t event) { return !waited(event); };
  std::vector<bool> refused;
  refused.push_back(gex_AM_RequestShort0(team, peer, told, immediate) != 0);
  gex_AM_SrcDesc_t prepared =
      gex_AM_PrepareRequestMedium(team, peer, nullptr, 8, 8, nullptr, immediate, 0);
  refused.push_back(prepared == GEX_AM_SRCDESC_NO_OP);
  if (!refused.back()) gex_AM_CancelRequestMedium(prepared, 0);
  refused.push_back(is_refused(gex_RMA_PutNB(team, peer, target.there, bytes.data(), bytes.size(),
                                             GEX_EVENT_NOW, immediate)));
  refused.push_back(
      is_refused(gex_RMA_GetNB(team, bytes.data(), peer, target.there, bytes.size(), immediate)));
  return refused;
}

// A thread that waits for other nodes holds the wire meanwhile.
GASNET_TEST(immediate_calls_do_not_wait_for_a_thread_that_has_the_wire, 1) {
  world.add_handler(told, reinterpret_cast<gex_AM_Fn_t>(&on_short),
                    GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0);
  const Target target = make_target(world);
  target.read(8);
  if (door().threads() != ThreadMode::seq) {
    const bool has_wire = !door().engine().rma().reaches_all();
    std::unique_lock<std::recursive_mutex> wire;
    if (has_wire) wire = door().engine().remote().try_take_turn();
    ASSERT_EQ(wire.owns_lock(), has_wire);
    std::vector<bool> refused;
    std::thread([&] {
      adopt(world);
      refused = refused_calls(target);
    }).join();
    const bool is_near = Team::of(world.team).reaches(world.right());
    EXPECT_EQ(refused, std::vector<bool>(refused.size(), !is_near));
  }
  world.barrier();
}

}  // namespace
}  // namespace gondwana::gasnet::test
