// Leaf events: the source of a put may be reused, whether or not the bytes have arrived.
#include <array>
#include <vector>

#include "front/gasnet/rma.hpp"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr std::size_t leaf_segment_size = std::size_t{2} << 20;

// The memory of the right neighbour for this rank's data.
struct LeafTarget {
  explicit LeafTarget(World& of) : world(of) {
    world.attach(leaf_segment_size);
    world.barrier();
    there = world.segment_of(world.right());
  }
  gex_Event_t begin(const std::vector<char>& source, gex_Event_t* lc_opt) const {
    return gex_RMA_PutNB(world.team, world.right(), there, source.data(), source.size(), lc_opt, 0);
  }
  void expect(const std::vector<char>& bytes) const {
    std::vector<char> got(bytes.size());
    gex_RMA_GetBlocking(world.team, got.data(), world.right(), there, got.size(), 0);
    EXPECT_EQ(got, bytes);
  }

  World& world;
  std::byte* there = nullptr;
};

// No call between a put and this one makes progress, so the put stays in flight.
void expect_under_way(gex_Event_t root) {
  EXPECT_EQ(gex_Event_Test(root), GASNET_ERR_NOT_READY);
}

GASNET_TEST(leaf_is_asked_for_without_waiting_for_the_put, 1) {
  const LeafTarget target(world);
  for (const std::size_t size : {8, 1000, 100'000, 2'000'000}) {
    const std::vector<char> bytes(size, 'x');
    std::vector<char> source = bytes;
    gex_Event_t root = target.begin(source, GEX_EVENT_DEFER);
    if (root == GEX_EVENT_INVALID) continue;
    gex_Event_t leaf = gex_Event_QueryLeaf(root, GEX_EC_LC);
    expect_under_way(root);
    if (door().engine().remote().is_message(size)) {
      EXPECT_EQ(leaf, GEX_EVENT_INVALID) << size;
    } else {
      EXPECT_NE(leaf, GEX_EVENT_INVALID) << size;
      EXPECT_EQ(gex_Event_QueryLeaf(root, GEX_EC_LC), leaf);
    }
    gex_Event_Wait(leaf);
    EXPECT_EQ(gex_Event_Test(leaf), GASNET_OK) << "a leaf may be asked again";
    std::fill(source.begin(), source.end(), 'y');
    gex_Event_Wait(root);
    target.expect(bytes);
  }
}

// Larger than the copy limit.
GASNET_TEST(large_put_with_a_leaf_does_not_wait, 1) {
  const LeafTarget target(world);
  const std::vector<char> bytes(leaf_segment_size, 'z');
  std::vector<char> source = bytes;
  gex_Event_t leaf = GEX_EVENT_NO_OP;
  gex_Event_t root = target.begin(source, &leaf);
  if (root != GEX_EVENT_INVALID) expect_under_way(root);
  ASSERT_NE(leaf, GEX_EVENT_NO_OP);
  gex_Event_Wait(leaf);
  std::fill(source.begin(), source.end(), 'y');
  gex_Event_Wait(root);
  target.expect(bytes);
}

GASNET_TEST(leaves_stand_beside_their_roots, 1) {
  const LeafTarget target(world);
  const std::vector<char> bytes(500'000, 'a');
  for (const bool leaf_first : {false, true}) {
    gex_Event_t root = target.begin(bytes, GEX_EVENT_DEFER);
    gex_Event_t leaf = gex_Event_QueryLeaf(root, GEX_EC_LC);
    std::array<gex_Event_t, 2> both{leaf_first ? leaf : root, leaf_first ? root : leaf};
    gex_Event_WaitAll(both.data(), both.size(), 0);
    EXPECT_EQ(both[0], GEX_EVENT_INVALID);
    EXPECT_EQ(both[1], GEX_EVENT_INVALID);
  }
  target.expect(bytes);
}

GASNET_TEST(access_region_has_leaves_for_its_sources_and_for_all, 1) {
  const LeafTarget target(world);
  const std::vector<char> bytes(300'000, 'b');
  std::vector<char> source = bytes;
  gex_NBI_BeginAccessRegion(0);
  gex_RMA_PutNBI(world.team, world.right(), target.there, source.data(), source.size(),
                 GEX_EVENT_DEFER, 0);
  gex_Event_t root = gex_NBI_EndAccessRegion(0);
  gex_Event_t local = gex_Event_QueryLeaf(root, GEX_EC_LC);
  gex_Event_t puts = gex_Event_QueryLeaf(root, GEX_EC_PUT);
  if (root != GEX_EVENT_INVALID) expect_under_way(root);
  gex_Event_Wait(local);
  std::fill(source.begin(), source.end(), 'y');
  gex_Event_Wait(puts);
  target.expect(bytes);
  gex_Event_Wait(root);
}

}  // namespace
}  // namespace gondwana::gasnet::test
