// Every algorithm of the reference collectives by name, over groups of several shapes.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "engine/collectives/reference/algorithms.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// A group with its own flags. Ranks outside of it construct it too: allocation is collective.
class TestGroup {
 public:
  TestGroup(World& world, const Members& members)
      : world_(world), flags_(world.allocate<std::uint64_t>(Group::flags)), team_(0, members, 0) {
    const std::optional<std::uint32_t> me = team_.member_of(world.engine().rank());
    is_member_ = me.has_value();
    team_.me = me.value_or(0);
  }
  ~TestGroup() {
    world_.barrier();
    EXPECT_TRUE(std::ranges::all_of(flags_, [](std::uint64_t flag) { return flag == 0; }));
    world_.free(flags_);
  }
  TestGroup(const TestGroup&) = delete;
  TestGroup& operator=(const TestGroup&) = delete;

  bool is_member() const { return is_member_; }
  // All ranks in order: only this group tests long arrays, to save time.
  bool is_of_all() const { return team_.first == 0 && team_.stride == 1; }
  std::uint32_t size() const { return team_.size; }
  std::uint32_t me() const { return team_.me; }
  // One group for each operation, as in the engine.
  Group group() const {
    Engine& engine = world_.engine();
    const std::size_t offset =
        engine.symmetric().ranges().offset_of(flags_.data(), Group::flags_size);
    return engine.collectives().group(team_, offset, "test");
  }

 private:
  World& world_;
  std::span<std::uint64_t> flags_;
  Team team_;
  bool is_member_ = false;
};

using GroupBody = std::function<void(const TestGroup&)>;

// All ranks, all in falling order, every second one, all but the first, all in another order.
void for_each_shape(World& world, const GroupBody& body) {
  const auto ranks = static_cast<std::uint32_t>(world.size());
  std::vector<Members> shapes{{0, 1, ranks}, {0, 2, (ranks + 1) / 2}};
  if (ranks > 1) shapes.insert(shapes.end(), {{ranks - 1, -1, ranks}, {1, 1, ranks - 1}});
  if (ranks > 2) {
    std::vector<std::uint32_t> list(ranks);
    std::iota(list.begin(), list.end(), 0);
    std::swap(list.front(), list[1]);
    shapes.push_back(Members::of(list));
  }
  for (const Members& shape : shapes) {
    const TestGroup group(world, shape);
    if (group.is_member()) body(group);
  }
}

void for_each_algorithm(World& world, Collective collective,
                        const std::function<void(const TestGroup&, Algorithm)>& body) {
  for (const Algorithm algorithm : algorithms_for(collective)) {
    if (!is_flat(algorithm)) continue;  // of teams, not of groups
    SCOPED_TRACE(name_of(algorithm));
    for_each_shape(world, [&](const TestGroup& group) { body(group, algorithm); });
  }
}

// x -> a x + b: composing two is associative, but their order matters.
struct Affine {
  std::uint64_t a;
  std::uint64_t b;
  bool operator==(const Affine&) const = default;
};

Affine composed(const Affine& f, const Affine& g) {
  return {f.a * g.a, f.b * g.a + g.b};
}

constexpr ElementType affine_type{
    sizeof(Affine), [](void* out, const void* a, const void* b, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        static_cast<Affine*>(out)[i] =
            composed(static_cast<const Affine*>(a)[i], static_cast<const Affine*>(b)[i]);
      }
    }};

Affine affine_of(std::uint32_t member, std::size_t i) {
  return {2 * (member + i) + 3, 7 * i + member + 1};
}

// The composition of members 0 to `end`, exclusive; zero bytes if there are none.
Affine composed_before(std::uint32_t end, std::size_t i) {
  if (end == 0) return {0, 0};
  Affine result = affine_of(0, i);
  for (std::uint32_t member = 1; member < end; ++member)
    result = composed(result, affine_of(member, i));
  return result;
}

RANK_TEST(nobody_leaves_a_sync_of_any_algorithm_before_all_have_come, ranks(1)) {
  const auto arrived = world.allocate<long>();
  for_each_algorithm(world, Collective::barrier, [&](const TestGroup& group, Algorithm algorithm) {
    for (long round = 1; round <= 30; ++round) {
      *arrived.data() = round;
      Group members = group.group();
      reference::sync(members, algorithm);
      for (std::uint32_t member = 0; member < group.size(); ++member) {
        long seen = 0;
        members.get(member, &seen, arrived.data(), sizeof(seen));
        ASSERT_GE(seen, round);
      }
      reference::sync(members, algorithm);
      EXPECT_TRUE(members.well());
    }
  });
  world.free(arrived);
}

RANK_TEST(every_broadcast_algorithm_copies_to_all_but_the_root, ranks(1)) {
  constexpr std::size_t most = 20'000;
  const auto source = world.allocate<long>(most);
  const auto dest = world.allocate<long>(most);
  const auto check = [&](const TestGroup& group, Algorithm algorithm, std::size_t count,
                         std::uint32_t root) {
    std::fill_n(source.begin(), count, static_cast<long>(group.me() * 1000 + count));
    std::fill_n(dest.begin(), count + 1, -1);
    Group members = group.group();
    ASSERT_TRUE(reference::broadcast(members, algorithm, dest.data(), source.data(),
                                     count * sizeof(long), root));
    const long expected = group.me() == root ? -1 : static_cast<long>(root * 1000 + count);
    EXPECT_TRUE(std::ranges::all_of(dest.first(count), [&](long x) { return x == expected; }));
    EXPECT_EQ(dest[count], -1);
  };
  for_each_algorithm(world, Collective::broadcast,
                     [&](const TestGroup& group, Algorithm algorithm) {
                       for (const std::size_t count : {0UL, 1UL, 100UL, most - 1})
                         for (std::uint32_t root = 0; root < group.size(); ++root)
                           check(group, algorithm, count, root);
                     });
  world.free(source);
  world.free(dest);
}

// The ring starts each part at another member: see the next test.
RANK_TEST(reductions_keep_the_order_of_the_members, ranks(1)) {
  constexpr std::size_t most = 20'000;  // more than a piece
  const auto source = world.allocate<Affine>(most);
  const auto dest = world.allocate<Affine>(most);
  const auto check = [&](const TestGroup& group, Algorithm algorithm, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) source[i] = affine_of(group.me(), i);
    Group members = group.group();
    ASSERT_TRUE(
        reference::reduce(members, algorithm, dest.data(), source.data(), count, affine_type));
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(dest[i], composed_before(group.size(), i)) << i << " of " << count;
  };
  for_each_algorithm(world, Collective::reduce, [&](const TestGroup& group, Algorithm algorithm) {
    if (algorithm == Algorithm::ring) return;
    for (const std::size_t count : {0UL, 1UL, 5UL, 1'000UL}) check(group, algorithm, count);
    // With automatic selection the engine may choose a ring.
    if (algorithm != Algorithm::automatic && group.is_of_all()) check(group, algorithm, most);
  });
  world.free(source);
  world.free(dest);
}

RANK_TEST(every_reduction_algorithm_works_in_place_and_back_to_back, ranks(1)) {
  constexpr std::size_t most = 40'000;  // more than a piece
  const auto data = world.allocate<long>(most);
  constexpr ElementType sum = element_type<CombineOp::sum, long>;
  const auto check = [&](const TestGroup& group, Algorithm algorithm, std::size_t count) {
    const auto size = static_cast<long>(group.size());
    for (long round = 0; round < (count == most ? 2 : 10); ++round) {
      for (std::size_t i = 0; i < count; ++i)
        data[i] = static_cast<long>(group.me()) + round + static_cast<long>(i);
      Group members = group.group();
      ASSERT_TRUE(reference::reduce(members, algorithm, data.data(), data.data(), count, sum));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(data[i], size * (size - 1) / 2 + size * (round + static_cast<long>(i)));
    }
  };
  for_each_algorithm(world, Collective::reduce, [&](const TestGroup& group, Algorithm algorithm) {
    for (const std::size_t count : {1UL, 3UL, 500UL}) check(group, algorithm, count);
    if (group.is_of_all()) check(group, algorithm, most);
  });
  world.free(data);
}

RANK_TEST(scans_keep_the_order_of_the_members, ranks(1)) {
  constexpr std::size_t most = 20'000;
  const auto source = world.allocate<Affine>(most);
  const auto dest = world.allocate<Affine>(most);
  const auto check = [&](const TestGroup& group, Algorithm algorithm, std::size_t count, Scan kind,
                         std::span<Affine> result) {
    for (std::size_t i = 0; i < count; ++i) source[i] = affine_of(group.me(), i);
    Group members = group.group();
    ASSERT_TRUE(reference::scan(members, algorithm, result.data(), source.data(), count,
                                affine_type, kind));
    const std::uint32_t end = kind == Scan::inclusive ? group.me() + 1 : group.me();
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(result[i], composed_before(end, i)) << i << " of " << count;
  };
  for_each_algorithm(world, Collective::scan, [&](const TestGroup& group, Algorithm algorithm) {
    for (const std::size_t count : {0UL, 1UL, 700UL, most}) {
      if (count == most && !group.is_of_all()) continue;
      for (const Scan kind : {Scan::inclusive, Scan::exclusive}) {
        check(group, algorithm, count, kind, dest);
        check(group, algorithm, count, kind, source);  // in place
      }
    }
  });
  world.free(source);
  world.free(dest);
}

// The contribution of member `member` to a concatenation.
std::vector<int> contribution(std::uint32_t member, std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), static_cast<int>(member) * 100'000);
  return values;
}

using CountOf = std::function<std::size_t(std::uint32_t)>;

template <typename Collect>
void check_collect(const TestGroup& group, std::span<int> dest, std::span<int> source,
                   const CountOf& count_of, const Collect& collect) {
  std::vector<int> expected;
  for (std::uint32_t member = 0; member < group.size(); ++member)
    std::ranges::copy(contribution(member, count_of(member)), std::back_inserter(expected));
  expected.push_back(-1);  // the call must not write beyond the end
  std::ranges::copy(contribution(group.me(), count_of(group.me())), source.begin());
  std::fill_n(dest.begin(), expected.size(), -1);
  Group members = group.group();
  ASSERT_TRUE(collect(members, dest.data(), source.data(), count_of(group.me()) * sizeof(int)));
  EXPECT_TRUE(std::ranges::equal(dest.first(expected.size()), expected));
}

RANK_TEST(every_fcollect_algorithm_concatenates_equal_blocks, ranks(1)) {
  const auto source = world.allocate<int>(30'000);
  const auto dest = world.allocate<int>(30'000 * static_cast<std::size_t>(world.size()) + 1);
  for_each_algorithm(world, Collective::fcollect, [&](const TestGroup& group, Algorithm algorithm) {
    for (const std::size_t count : {0UL, 1UL, 1'000UL, 30'000UL}) {
      check_collect(
          group, dest, source, [&](std::uint32_t) { return count; },
          [&](Group& members, void* to, const void* from, std::size_t size) {
            return reference::fcollect(members, algorithm, to, from, size);
          });
    }
  });
  world.free(source);
  world.free(dest);
}

RANK_TEST(every_collect_algorithm_concatenates_blocks_of_any_size, ranks(1)) {
  const auto source = world.allocate<int>(9'000);
  const auto dest = world.allocate<int>(9'000 * static_cast<std::size_t>(world.size()) + 1);
  const std::vector<CountOf> counts{
      [](std::uint32_t member) { return std::size_t{member % 3}; },  // some have none
      [](std::uint32_t member) { return std::size_t{1'000} * (member + 1); },
      [](std::uint32_t member) { return member == 0 ? std::size_t{9'000} : std::size_t{0}; },
      [](std::uint32_t) { return std::size_t{0}; }};
  for_each_algorithm(world, Collective::collect, [&](const TestGroup& group, Algorithm algorithm) {
    for (const CountOf& count_of : counts) {
      check_collect(group, dest, source, count_of,
                    [&](Group& members, void* to, const void* from, std::size_t size) {
                      return reference::collect(members, algorithm, to, size == 0 ? nullptr : from,
                                                size);
                    });
    }
  });
  world.free(source);
  world.free(dest);
}

template <typename T>
void check_alltoall(World& world, std::size_t count, Strides strides) {
  const auto most = [&](std::ptrdiff_t stride) {
    return static_cast<std::size_t>(world.size()) * count * static_cast<std::size_t>(stride) + 1;
  };
  const auto source = world.allocate<T>(most(strides.source));
  const auto dest = world.allocate<T>(most(strides.target));
  const auto value = [](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<T>(from * 31 + to * 7 + i);
  };
  for_each_shape(world, [&](const TestGroup& group) {
    const auto source_stride = static_cast<std::size_t>(strides.source);
    const auto target_stride = static_cast<std::size_t>(strides.target);
    std::vector<T> expected(dest.size(), T{99});
    std::ranges::fill(dest, T{99});
    for (std::size_t member = 0; member < group.size(); ++member) {
      for (std::size_t i = 0; i < count; ++i) {
        source[(member * count + i) * source_stride] = value(group.me(), member, i);
        expected[(member * count + i) * target_stride] = value(member, group.me(), i);
      }
    }
    Group members = group.group();
    ASSERT_TRUE(
        reference::alltoall(members, dest.data(), source.data(), {sizeof(T), count, strides}));
    EXPECT_TRUE(std::ranges::equal(dest, expected));
  });
  world.free(source);
  world.free(dest);
}

RANK_TEST(all_to_alls_exchange_every_block, ranks(1)) {
  for (const std::size_t count : {0UL, 1UL, 1'500UL})
    check_alltoall<double>(world, count, {.target = 1, .source = 1});
}

RANK_TEST(all_to_alls_respect_strides_of_all_widths, ranks(1)) {
  check_alltoall<unsigned char>(world, 9, {.target = 2, .source = 3});
  check_alltoall<short>(world, 9, {.target = 1, .source = 2});
  check_alltoall<int>(world, 40, {.target = 3, .source = 1});
  check_alltoall<long>(world, 7, {.target = 5, .source = 4});
  check_alltoall<long double>(world, 5, {.target = 2, .source = 2});
}

// Members leave an operation at different times. A flag of the next must not count for this one.
RANK_TEST(operations_of_all_algorithms_may_follow_one_another, ranks(1)) {
  constexpr std::size_t count = 300;
  const auto source = world.allocate<long>(count);
  const auto dest = world.allocate<long>(count * static_cast<std::size_t>(world.size()));
  constexpr ElementType sum = element_type<CombineOp::sum, long>;
  for_each_shape(world, [&](const TestGroup& group) {
    std::mt19937_64 random(17);  // the same on all members
    const auto any_of = [&](Collective collective) {
      const std::span<const Algorithm> all = algorithms_for(collective);
      return all[random() % all.size()];
    };
    const auto size = static_cast<long>(group.size());
    for (long round = 0; round < 60; ++round) {
      std::ranges::fill(source, static_cast<long>(group.me()) + round);
      Group members = group.group();
      switch (random() % 4) {
        case 0: {
          const auto root = static_cast<std::uint32_t>(random() % group.size());
          reference::broadcast(members, any_of(Collective::broadcast), dest.data(), source.data(),
                               count * sizeof(long), root);
          if (group.me() != root) {
            ASSERT_EQ(dest[count - 1], static_cast<long>(root) + round);
          }
          break;
        }
        case 1:
          reference::reduce(members, any_of(Collective::reduce), dest.data(), source.data(), count,
                            sum);
          ASSERT_EQ(dest[count - 1], size * (size - 1) / 2 + size * round);
          break;
        case 2:
          reference::fcollect(members, any_of(Collective::fcollect), dest.data(), source.data(),
                              count * sizeof(long));
          ASSERT_EQ(dest[count * group.size() - 1], size - 1 + round);
          break;
        default:
          reference::sync(members, any_of(Collective::barrier));
      }
    }
  });
  world.free(source);
  world.free(dest);
}

}  // namespace
}  // namespace gondwana::test
