// Collectives on registered buffers, on the host and on devices, in addition to symmetric memory.
#include <algorithm>
#include <memory>
#include <vector>

#include "core/mapping.hpp"
#include "front/shmem/active_set.hpp"
#include "front/shmem/devices.hpp"
#include "ranks/device_memory.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// The array of a collective: symmetric memory, or a registered buffer. Every other buffer is device
// memory, if there is a device.
enum class Lies : std::uint8_t { in_heap, in_buffer };

class Shared {
 public:
  // Buffers close to each other may be refused: one may cross the end of the address space that is
  // reserved for another.
  static constexpr std::size_t apart = std::size_t{16} << 20;

  Shared(World& world, std::size_t count, Lies place) : world_(world), count_(count) {
    if (place == Lies::in_heap) {
      heap_ = world.allocate<long>(count);
      return;
    }
    if (world.engine().kinds().has_devices() && world.me() % 2 == 0) {
      device_.emplace(world, count);
    } else {
      own_.reset(
          static_cast<long*>(std::aligned_alloc(apart, round_up(count * sizeof(long), apart))));
      std::fill_n(own_.get(), count, 0L);
    }
    EXPECT_EQ(give(world, data(), count * sizeof(long)), 0);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (!heap_.empty())
      world_.free(heap_);
    else
      EXPECT_EQ(take_back(world_, data()), 0);
  }

  long* data() {
    if (!heap_.empty()) return heap_.data();
    return device_ ? device_->data() : own_.get();
  }
  void write(const std::vector<long>& values) {
    device_memcpy(world_.as("device_memcpy"), data(), values.data(), values.size() * sizeof(long));
  }
  std::vector<long> read(std::size_t count) {
    std::vector<long> values(count);
    device_memcpy(world_.as("device_memcpy"), values.data(), data(), count * sizeof(long));
    return values;
  }
  std::size_t count() const { return count_; }

 private:
  World& world_;
  std::size_t count_;
  std::span<long> heap_;
  std::optional<OnDevice> device_;
  std::unique_ptr<long, decltype(&std::free)> own_{nullptr, &std::free};
};

// What each member adds, over the first `members`.
std::vector<long> sums(int members, std::size_t count) {
  std::vector<long> values(count);
  for (int rank = 0; rank < members; ++rank)
    for (std::size_t i = 0; i < count; ++i) values[i] += term(rank, i);
  return values;
}

// A collective: the call, and the expected contents of dest.
struct Collected {
  const char* name;
  void (*call)(World& world, Shared& dest, Shared& source, std::size_t count);
  std::vector<long> (*result)(const World& world, std::size_t count);
};

std::vector<long> all_blocks(const World& world, std::size_t count) {
  std::vector<long> all;
  for (int rank = 0; rank < world.size(); ++rank) {
    const std::vector<long> block = terms(rank, count);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

const shmem_team_t everybody = SHMEM_TEAM_WORLD;
const std::array collectives{
    Collected{"broadcast",
              [](World& world, Shared& dest, Shared& source, std::size_t count) {
                broadcast<8>(world.as("broadcast"), everybody, dest.data(), source.data(), count,
                             world.size() - 1);
              },
              [](const World& world, std::size_t count) { return terms(world.size() - 1, count); }},
    Collected{"fcollect",
              [](World& world, Shared& dest, Shared& source, std::size_t count) {
                fcollect<8>(world.as("fcollect"), everybody, dest.data(), source.data(), count);
              },
              all_blocks},
    Collected{"collect",
              [](World& world, Shared& dest, Shared& source, std::size_t count) {
                collect<8>(world.as("collect"), everybody, dest.data(), source.data(),
                           world.me() == 0 ? count / 2 : count);
              },
              [](const World& world, std::size_t count) {
                std::vector<long> all = all_blocks(world, count);
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(count / 2),
                          all.begin() + static_cast<std::ptrdiff_t>(count));
                return all;
              }},
    Collected{"alltoall",
              [](World& world, Shared& dest, Shared& source, std::size_t count) {
                const std::size_t each = count / static_cast<std::size_t>(world.size());
                alltoall<8>(world.as("alltoall"), everybody, dest.data(), source.data(), each);
              },
              [](const World& world, std::size_t count) {
                const std::size_t each = count / static_cast<std::size_t>(world.size());
                std::vector<long> all;
                for (int rank = 0; rank < world.size(); ++rank)
                  for (std::size_t i = 0; i < each; ++i)
                    all.push_back(term(rank, static_cast<std::size_t>(world.me()) * each + i));
                return all;
              }},
    Collected{
        "alltoalls",
        [](World& world, Shared& dest, Shared& source, std::size_t count) {
          const std::size_t each = count / static_cast<std::size_t>(world.size()) / 3;
          alltoalls<8>(world.as("alltoalls"), everybody, dest.data(), source.data(), 1, 3, each);
        },
        [](const World& world, std::size_t count) {
          const std::size_t each = count / static_cast<std::size_t>(world.size()) / 3;
          std::vector<long> all;
          for (int rank = 0; rank < world.size(); ++rank)
            for (std::size_t i = 0; i < each; ++i)
              all.push_back(term(rank, (static_cast<std::size_t>(world.me()) * each + i) * 3));
          return all;
        }},
    Collected{"reduce",
              [](World& world, Shared& dest, Shared& source, std::size_t count) {
                reduce<CombineOp::sum>(world.as("reduce"), everybody, dest.data(), source.data(),
                                       count);
              },
              [](const World& world, std::size_t count) { return sums(world.size(), count); }},
    Collected{"inscan",
              [](World& world, Shared& dest, Shared& source, std::size_t count) {
                sum_inscan(world.as("inscan"), everybody, dest.data(), source.data(), count);
              },
              [](const World& world, std::size_t count) { return sums(world.me() + 1, count); }},
    Collected{"exscan",
              [](World& world, Shared& dest, Shared& source, std::size_t count) {
                sum_exscan(world.as("exscan"), everybody, dest.data(), source.data(), count);
              },
              [](const World& world, std::size_t count) { return sums(world.me(), count); }},
};

void run_collectives(World& world, Shared& dest, Shared& source, std::size_t count) {
  for (const Collected& each : collectives) {
    source.write(terms(world.me(), count));
    dest.write(std::vector<long>(dest.count(), -1));
    world.barrier();
    each.call(world, dest, source, count);
    const std::vector<long> expected = each.result(world, count);
    EXPECT_EQ(dest.read(expected.size()), expected) << each.name << " of " << count;
    world.barrier();
  }
}

RANK_TEST(collectives_take_buffers_of_a_device_beside_those_of_the_host, ranks(1)) {
  const auto members = static_cast<std::size_t>(world.size());
  const bool has_devices = world.engine().kinds().has_devices();
  constexpr std::size_t passes = 33'000;  // elements of a member: more than one pass
  for (const auto [to, from] :
       {std::pair(Lies::in_buffer, Lies::in_buffer), std::pair(Lies::in_buffer, Lies::in_heap),
        std::pair(Lies::in_heap, Lies::in_buffer)}) {
    const bool is_first = to == from;
    const std::size_t most = is_first && has_devices ? passes * members : 40;
    Shared dest(world, most * members, to);
    Shared source(world, most, from);
    for (const std::size_t count : {std::size_t{1}, std::size_t{33}, most})
      if (is_first || count != most) run_collectives(world, dest, source, count);
  }
}

RANK_TEST(sets_take_buffers_of_a_device_beside_those_of_the_host, ranks(1)) {
  constexpr std::size_t count = 100;
  const auto sync = world.allocate<long>(SHMEM_COLLECT_SYNC_SIZE);
  const auto work = world.allocate<long>(count);
  Shared dest(world, count * static_cast<std::size_t>(world.size()), Lies::in_buffer);
  Shared source(world, count, Lies::in_buffer);
  source.write(terms(world.me(), count));
  world.barrier();
  reduce_set<CombineOp::sum, long>(world.as("sum_to_all"), dest.data(), source.data(), count, 0, 0,
                                   world.size(), work.data(), sync.data());
  EXPECT_EQ(dest.read(count), sums(world.size(), count));
  world.barrier();
  collect_set<8>(world.as("collect64"), dest.data(), source.data(), count, 0, 0, world.size(),
                 sync.data());
  EXPECT_EQ(dest.read(count * static_cast<std::size_t>(world.size())), all_blocks(world, count));
  // In place.
  reduce<CombineOp::max>(world.as("reduce"), everybody, source.data(), source.data(), count);
  EXPECT_EQ(source.read(count), terms(world.size() - 1, count));
  world.barrier();
  world.free(work);
  world.free(sync);
}

}  // namespace
}  // namespace gondwana::test
