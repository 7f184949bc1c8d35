// The spaces that a rank offers to its peers, and when the exported memory may be released.
#include <gtest/gtest.h>

#include <memory>

#include "spaces/spaces.hpp"

namespace gondwana {
namespace {

// A device that counts what is shared and released.
class CountingKind final : public Kind {
 public:
  DeviceId device() const override { return {KindId::emulated, 0}; }
  Result<MutableBytes> allocate(std::size_t /*size*/) override { return MutableBytes(memory_); }
  bool release(std::byte* /*memory*/) override { return ++released > 0; }
  bool holds(Bytes /*memory*/) const override { return true; }
  Result<SharedHandle> share(Bytes /*memory*/) const override {
    ++shared;
    return SharedHandle{7};
  }
  void unshare(const SharedHandle& handle) const override {
    EXPECT_EQ(handle[0], 7U);
    --shared;
  }
  Result<MutableBytes> map(const SharedHandle& /*handle*/, std::size_t /*size*/) override {
    return MutableBytes(memory_);
  }
  void unmap(MutableBytes /*memory*/) override {}
  Result<void> copy(std::byte* /*to*/, const std::byte* /*from*/, std::size_t /*size*/,
                    Completion& /*done*/) override {
    return {};
  }
  void wait(Completion& /*done*/) override {}

  mutable int shared = 0;
  int released = 0;

 private:
  std::array<std::byte, 64> memory_{};
};

class OwnSpacesOfDevices : public testing::Test {
 protected:
  SpaceId add() { return *spaces_.add(kind_, *kind_.allocate(64)); }
  std::atomic<std::uint32_t>& viewers(SpaceId id) {
    return space_viewers(memory_->window(Rank(0)), id).count;
  }

  CountingKind kind_;
  std::shared_ptr<NodeMemory> memory_ = *NodeMemory::create({1, 0, 0, 1, 1});
  OwnSpaces spaces_{*memory_, Rank(0)};
};

TEST_F(OwnSpacesOfDevices, what_nobody_maps_is_unshared_at_once) {
  spaces_.remove(add());
  EXPECT_EQ(kind_.shared, 0);
}

TEST_F(OwnSpacesOfDevices, a_peer_that_begins_to_map_finds_the_handle) {
  const SpaceId id = add();
  viewers(id) = 1;  // it has read the table before, and maps now
  spaces_.remove(id);
  EXPECT_EQ(kind_.shared, 1);
  EXPECT_TRUE(spaces_.is_mapped(id));
  viewers(id) = 0;
  spaces_.reap();
  EXPECT_EQ(kind_.shared, 0);
  EXPECT_EQ(add(), id);
}

TEST_F(OwnSpacesOfDevices, memory_goes_after_its_handle) {
  const SpaceId id = add();
  viewers(id) = 1;
  spaces_.remove(id, kind_, kind_.allocate(64)->data());
  EXPECT_FALSE(spaces_.reap());
  EXPECT_EQ(kind_.shared + kind_.released, 1);
  viewers(id) = 0;
  EXPECT_TRUE(spaces_.reap());
  EXPECT_EQ(kind_.shared, 0);
  EXPECT_EQ(kind_.released, 1);
}

}  // namespace
}  // namespace gondwana
