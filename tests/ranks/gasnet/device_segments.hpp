// Segments on devices, for tests. The processor faults if it touches device memory. The devices are
// the first two of the process, of whatever kind.
#pragma once

#include <dlfcn.h>

#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "gasnet_mk.h"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {

inline constexpr std::size_t segment_size = std::size_t{3} << 20;

// What Level Zero calls a device. Its library is loaded.
inline void* ze_handle(int device) {
  using Call = int (*)(...);
  void* library = ::dlopen("libze_loader.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto find = [&](const char* name) {
    return reinterpret_cast<Call>(::dlsym(library, name));
  };
  std::uint32_t one = 1;
  std::uint32_t two = 2;
  void* driver = nullptr;
  std::array<void*, 2> devices{};
  EXPECT_EQ(find("zeDriverGet")(&one, &driver), 0);
  EXPECT_EQ(find("zeDeviceGet")(driver, &two, devices.data()), 0);
  ::dlclose(library);
  return device < 2 ? devices.at(static_cast<std::size_t>(device)) : nullptr;
}

// For a device of the same kind as the first one of the process.
inline gex_MK_Create_args_t arguments(int device) {
  gex_MK_Create_args_t args{};
  switch ((*door().engine().kinds().device(0))->device().kind) {
    case KindId::cuda:
      args.gex_class = GEX_MK_CLASS_CUDA_UVA;
      args.gex_args.gex_class_cuda_uva.gex_CUdevice = device;
      break;
    case KindId::hip:
      args.gex_class = GEX_MK_CLASS_HIP;
      args.gex_args.gex_class_hip.gex_hipDevice = device;
      break;
    case KindId::ze:
      args.gex_class = GEX_MK_CLASS_ZE;
      args.gex_args.gex_class_ze.gex_zeDevice = ze_handle(device);
      break;
    default:
      args.gex_class = GONDWANA_MK_CLASS_EMULATED;
      args.gex_args.gondwana_class_emulated.gondwana_device = device;
  }
  return args;
}

// The second device of that kind; if the process has only one, that.
inline int second_device() {
  Kinds& kinds = door().engine().kinds();
  const KindId kind = (*kinds.device(0))->device().kind;
  return kinds.find({kind, 1}) ? 1 : 0;
}

inline gex_MK_t make_kind(const World& world, int device) {
  const gex_MK_Create_args_t args = arguments(device);
  gex_MK_t kind = GEX_MK_INVALID;
  EXPECT_EQ(gex_MK_Create(&kind, world.client, &args, 0), GASNET_OK);
  return kind;
}

// An endpoint with a segment on a device, published to all.
class DeviceSegment {
 public:
  DeviceSegment(World& world, int device, void* address = nullptr)
      : kind_(make_kind(world, device)) {
    EXPECT_EQ(gex_Segment_Create(&segment_, world.client, address, segment_size, kind_, 0),
              GASNET_OK);
    EXPECT_EQ(gex_EP_Create(&endpoint_, world.client, GEX_EP_CAPABILITY_RMA, 0), GASNET_OK);
    EXPECT_EQ(gex_EP_BindSegment(endpoint_, segment_, 0), GASNET_OK);
    EXPECT_EQ(gex_EP_PublishBoundSegment(world.team, &endpoint_, 1, 0), GASNET_OK);
  }
  DeviceSegment(const DeviceSegment&) = delete;
  DeviceSegment& operator=(const DeviceSegment&) = delete;
  ~DeviceSegment() {
    gex_Segment_Destroy(segment_, 0);
    gex_EP_Destroy(endpoint_, 0);
    gex_MK_Destroy(kind_, 0);
  }

  gex_EP_t endpoint() const { return endpoint_; }
  gex_EP_Index_t index() const { return gex_EP_QueryIndex(endpoint_); }
  std::byte* data() const { return static_cast<std::byte*>(gex_Segment_QueryAddr(segment_)); }
  long read(std::size_t i) const {
    long value = 0;
    EXPECT_TRUE(kind_->device->copy_now(reinterpret_cast<std::byte*>(&value),
                                        data() + i * sizeof(long), sizeof(long)));
    return value;
  }
  void write(const std::vector<long>& values) const {
    const Bytes bytes = std::as_bytes(std::span(values));
    EXPECT_TRUE(kind_->device->copy_now(data(), bytes.data(), bytes.size()));
  }

 private:
  gex_MK_t kind_;
  gex_Segment_t segment_ = GEX_SEGMENT_INVALID;
  gex_EP_t endpoint_ = GEX_EP_INVALID;
};

inline bool has_devices() {
  return door().engine().kinds().has_devices();
}
#define NEEDS_DEVICES() \
  if (!has_devices()) GTEST_SKIP() << "no devices"

inline void* peer_address(gex_TM_t pair, gex_Rank_t rank) {
  void* address = nullptr;
  void* local = static_cast<void*>(&address);
  uintptr_t size = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, rank, &address, &local, &size, 0));
  EXPECT_EQ(size, segment_size);
  EXPECT_EQ(local, nullptr);
  return address;
}

inline std::vector<long> numbers(std::size_t count, long first) {
  std::vector<long> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Memory of this rank on the host, in the attached segment, and on two devices; and the teams that
// connect each of them with each memory of a peer.
class Places {
 public:
  explicit Places(World& world)
      : world_(world),
        host_(world.attach(segment_size)),
        first_(world, 0),
        other_(world, second_device()) {}

  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() { world_.barrier(); }

  enum Place : std::uint8_t { on_host, on_first, on_other };
  static constexpr std::array all{on_host, on_first, on_other};

  gex_TM_t team(Place from, Place to) const {
    return from == on_host && to == on_host ? world_.team : gex_TM_Pair(endpoint(from), index(to));
  }
  std::byte* data(Place place) const { return place == on_host ? host_ : segment(place).data(); }
  // The address in a peer's memory.
  std::byte* there(Place place, gex_Rank_t rank) const {
    if (place == on_host) return world_.segment_of(rank);
    return static_cast<std::byte*>(peer_address(gex_TM_Pair(world_.endpoint, index(place)), rank));
  }
  void write(Place place, std::span<const std::byte> bytes) const {
    door().devices().copy("test", data(place), bytes.data(), bytes.size());
  }
  std::vector<std::byte> read(Place place, std::size_t size) const {
    std::vector<std::byte> bytes(size);
    door().devices().copy("test", bytes.data(), data(place), size);
    return bytes;
  }
  gex_EP_Index_t index(Place place) const { return place == on_host ? 0 : segment(place).index(); }

 private:
  const DeviceSegment& segment(Place place) const { return place == on_first ? first_ : other_; }
  gex_EP_t endpoint(Place place) const {
    return place == on_host ? world_.endpoint : segment(place).endpoint();
  }

  World& world_;
  std::byte* host_;
  DeviceSegment first_;
  DeviceSegment other_;
};

inline std::vector<std::byte> pattern(std::size_t size, std::size_t salt) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256 + salt);
  return bytes;
}

}  // namespace gondwana::gasnet::test
