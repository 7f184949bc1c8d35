// Segments on devices: puts and gets between memory of the host and of devices, here and at the
// peer. The processor faults where it touches memory of a device. The devices are the first two of
// the process, of whatever kind.
#include <dlfcn.h>

#include <array>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "gasnet_coll.h"
#include "gasnet_mk.h"
#include "gasnet_ratomic.h"
#include "gasnet_vis.h"
#include "ranks/gasnet/world.hpp"

#if !defined(__HIP_PLATFORM_AMD__)
#error "headers of HIP after gasnet_mk.h want to know whose devices they are for"
#endif

namespace gondwana::gasnet::test {
namespace {

constexpr std::size_t segment_size = std::size_t{3} << 20;

// What Level Zero calls a device. Its library is loaded.
void* ze_handle(int device) {
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

// For a device of the kind that the first of the process has.
gex_MK_Create_args_t arguments(int device) {
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

gex_MK_t make_kind(const World& world, int device) {
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

bool has_devices() {
  return door().engine().kinds().has_devices();
}
#define NEEDS_DEVICES() \
  if (!has_devices()) GTEST_SKIP() << "no devices"

void* peer_address(gex_TM_t pair, gex_Rank_t rank) {
  void* address = nullptr;
  void* local = static_cast<void*>(&address);
  uintptr_t size = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, rank, &address, &local, &size, 0));
  EXPECT_EQ(size, segment_size);
  EXPECT_EQ(local, nullptr);
  return address;
}

std::vector<long> numbers(std::size_t count, long first) {
  std::vector<long> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Around what is copied at once (4 KiB), the eager limit, and the chunks that pass through the
// host.
constexpr std::array<std::size_t, 9> counts{1,      511,    512,    513,    8191,
                                            32'767, 32'768, 32'769, 300'000};

// Host to device and back, device to device, in each form of a call.
GASNET_TEST(puts_and_gets_between_host_and_devices, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment first(world, 0);
  const DeviceSegment other(world, 1);
  const gex_TM_t from_host = gex_TM_Pair(world.endpoint, first.index());
  const gex_TM_t from_device = gex_TM_Pair(other.endpoint(), first.index());
  const gex_TM_t to_host = gex_TM_Pair(other.endpoint(), 0);
  auto* there = static_cast<std::byte*>(peer_address(from_host, world.right()));
  for (const std::size_t count : counts) {
    const std::size_t bytes = count * sizeof(long);
    const long mine = 1000L * world.me() + static_cast<long>(count);
    const long theirs = 1000L * world.left() + static_cast<long>(count);
    const auto last = static_cast<long>(count) - 1;
    const std::vector<long> values = numbers(count, mine);
    std::vector<long> back(count);
    EXPECT_EQ(gex_RMA_PutBlocking(from_host, world.right(), there, values.data(), bytes, 0), 0);
    world.barrier();
    EXPECT_EQ(first.read(count - 1), theirs + last);
    EXPECT_EQ(gex_RMA_GetBlocking(from_host, back.data(), world.right(), there, bytes, 0), 0);
    EXPECT_EQ(back, values) << count;
    world.barrier();
    other.write(numbers(count, mine + 5));
    gex_Event_Wait(
        gex_RMA_PutNB(from_device, world.right(), there, other.data(), bytes, GEX_EVENT_DEFER, 0));
    world.barrier();
    EXPECT_EQ(first.read(count - 1), theirs + 5 + last) << count;
    world.barrier();
    gex_RMA_PutNBI(to_host, world.right(), world.segment_of(world.right()), other.data(), bytes,
                   GEX_EVENT_DEFER, 0);
    gex_NBI_Wait(GEX_EC_ALL, 0);
    other.write(std::vector<long>(count, 0));
    gex_Event_Wait(gex_RMA_GetNB(from_device, other.data(), world.right(), there, bytes, 0));
    EXPECT_EQ(other.read(count - 1), mine + 5 + last) << count;
    world.barrier();
    EXPECT_EQ(reinterpret_cast<long*>(world.segment_of(world.me()))[count - 1], theirs + 5 + last);
    world.barrier();
  }
}

// Several at once, each with an event of its own and one for its source.
GASNET_TEST(puts_and_gets_of_a_device_go_on_until_their_events, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment first(world, 0);
  const DeviceSegment other(world, 1);
  const gex_TM_t from_host = gex_TM_Pair(world.endpoint, first.index());
  const gex_TM_t from_device = gex_TM_Pair(other.endpoint(), first.index());
  auto* there = static_cast<std::byte*>(peer_address(from_host, world.right()));
  constexpr std::size_t count = 90'000;
  constexpr std::size_t bytes = count * sizeof(long);
  constexpr std::size_t parts = 4;
  std::array<std::vector<long>, parts> sources;
  std::array<gex_Event_t, 2 * parts> events{};
  for (std::size_t i = 0; i < parts; ++i) {
    sources.at(i) = numbers(count, 1000L * world.me() + static_cast<long>(i));
    events.at(i) = gex_RMA_PutNB(from_host, world.right(), there + i * bytes, sources.at(i).data(),
                                 bytes, &events.at(parts + i), 0);
  }
  gex_Event_WaitAll(&events.at(parts), parts, 0);
  for (std::vector<long>& each : sources) std::ranges::fill(each, -1);
  gex_Event_WaitAll(events.data(), parts, 0);
  world.barrier();
  for (std::size_t i = 0; i < parts; ++i)
    EXPECT_EQ(first.read(i * count + 7), 1000L * world.left() + static_cast<long>(i) + 7);
  world.barrier();
  gex_Event_t get = gex_RMA_GetNB(from_device, other.data(), world.right(), there, bytes, 0);
  while (gex_Event_Test(get) != GASNET_OK) gasnet_AMPoll();
  EXPECT_EQ(other.read(count - 1), 1000L * world.me() + static_cast<long>(count) - 1);
  gex_NBI_BeginAccessRegion(0);
  std::vector<long> back(count);
  gex_RMA_PutNBI(from_host, world.right(), there + 3 * bytes, sources[0].data(), bytes,
                 GEX_EVENT_NOW, 0);
  std::ranges::fill(sources[0], 5);  // the source is free
  gex_RMA_GetNBI(from_host, back.data(), world.right(), there + 2 * bytes, bytes, 0);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  EXPECT_EQ(back[count - 1], 1000L * world.me() + 2 + static_cast<long>(count) - 1);
  world.barrier();
  EXPECT_EQ(first.read(3 * count + 7), -1);
}

GASNET_TEST(a_segment_may_adopt_memory_of_a_device, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  Kind& device = **door().engine().kinds().device(0);
  const MutableBytes memory = *device.allocate(segment_size);
  {
    const DeviceSegment adopted(world, 0, memory.data());
    EXPECT_EQ(adopted.data(), memory.data());
    const gex_TM_t pair = gex_TM_Pair(world.endpoint, adopted.index());
    const long value = 40 + static_cast<long>(world.me());
    gex_RMA_PutBlocking(pair, world.right(), peer_address(pair, world.right()), &value,
                        sizeof(value), 0);
    world.barrier();
    EXPECT_EQ(adopted.read(0), 40 + static_cast<long>(world.left()));
    world.barrier();
  }
  EXPECT_TRUE(device.holds(memory)) << "destroying the segment leaves it";
  device.release(memory.data());
}

GASNET_TEST(wrong_kinds_and_segments_are_refused, 1) {
  NEEDS_DEVICES();
  gex_MK_Create_args_t args = arguments(63);
  gex_MK_t kind = GEX_MK_INVALID;
  EXPECT_EQ(gex_MK_Create(&kind, world.client, &args, 0), GASNET_ERR_BAD_ARG);
  args = {};
  args.gex_class = GONDWANA_MK_CLASS_EMULATED;
  args.gex_args.gondwana_class_emulated.gondwana_device = -1;
  EXPECT_EQ(gex_MK_Create(&kind, world.client, &args, 0), GASNET_ERR_BAD_ARG);
  args = {};
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): there is no such class
  args.gex_class = static_cast<gex_MK_Class_t>(63);
  EXPECT_EQ(gex_MK_Create(&kind, world.client, &args, 0), GASNET_ERR_BAD_ARG);
  kind = make_kind(world, 0);
  EXPECT_EQ(gex_MK_QueryClass(kind), arguments(0).gex_class);
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  long here = 0;
  EXPECT_EQ(gex_Segment_Create(&segment, world.client, &here, sizeof(here), kind, 0),
            GASNET_ERR_BAD_ARG);
  EXPECT_EQ(gex_Segment_Create(&segment, world.client, nullptr, uintptr_t{1} << 40, kind, 0),
            GASNET_ERR_RESOURCE);
  EXPECT_EQ(gex_Segment_Create(&segment, world.client, nullptr, segment_size, kind, 0), GASNET_OK);
  EXPECT_EQ(gex_EP_BindSegment(world.endpoint, segment, 0), GASNET_ERR_BAD_ARG);
  EXPECT_THROW(gex_MK_Destroy(kind, 0), GaveUp);
  gex_Segment_Destroy(segment, 0);
  gex_MK_Destroy(kind, 0);
}

GASNET_TEST(a_place_beyond_a_segment_of_a_device_is_told, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment segment(world, 0);
  const gex_TM_t pair = gex_TM_Pair(world.endpoint, segment.index());
  auto* end = static_cast<std::byte*>(peer_address(pair, world.right())) + segment_size;
  long value = 0;
  EXPECT_THROW(gex_RMA_PutBlocking(pair, world.right(), end, &value, sizeof(value), 0), GaveUp);
  EXPECT_THROW(gex_VIS_StridedPutBlocking(pair, world.right(), end, nullptr, &value, nullptr,
                                          sizeof(value), nullptr, 0, 0),
               GaveUp);
  world.barrier();
}

// Memory of this rank on the host, in the attached segment, and on two devices; and the teams that
// lead from each to each of a peer.
class Places {
 public:
  explicit Places(World& world)
      : world_(world), host_(world.attach(segment_size)), first_(world, 0), other_(world, 1) {}

  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() { world_.barrier(); }

  enum Place : std::uint8_t { on_host, on_first, on_other };
  static constexpr std::array all{on_host, on_first, on_other};

  gex_TM_t team(Place from, Place to) const {
    return from == on_host && to == on_host ? world_.team : gex_TM_Pair(endpoint(from), index(to));
  }
  std::byte* data(Place place) const { return place == on_host ? host_ : segment(place).data(); }
  // Of a peer.
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

std::vector<std::byte> pattern(std::size_t size, std::size_t salt) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256 + salt);
  return bytes;
}

// The memory of a client that binds what it has as it comes, goes on without what is refused, and
// publishes everything in one call, the first endpoint among it. Runtimes of tasks do so.
class Bindings {
 public:
  explicit Bindings(World& world) : world_(world) {
    add(world.endpoint, gex_EP_QuerySegment(world.endpoint));
  }
  Bindings(const Bindings&) = delete;
  Bindings& operator=(const Bindings&) = delete;
  ~Bindings() {
    for (std::size_t i = 1; i < endpoints_.size(); ++i) {
      gex_EP_Destroy(endpoints_[i], 0);
      gex_Segment_Destroy(segments_[i], 0);
    }
    for (const gex_MK_t kind : kinds_) gex_MK_Destroy(kind, 0);
  }

  // False: it stays without an endpoint. Without `args`: memory of the host.
  bool bind(const gex_MK_Create_args_t* args, void* address, std::size_t size) {
    gex_MK_t kind = GEX_MK_HOST;
    if (args != nullptr) {
      if (gex_MK_Create(&kind, world_.client, args, 0) != GASNET_OK) return false;
      kinds_.push_back(kind);
    }
    gex_Segment_t segment = GEX_SEGMENT_INVALID;
    if (gex_Segment_Create(&segment, world_.client, address, size, kind, 0) != GASNET_OK) {
      EXPECT_EQ(segment, GEX_SEGMENT_INVALID);
      return false;
    }
    gex_EP_t endpoint = GEX_EP_INVALID;
    EXPECT_EQ(gex_EP_Create(&endpoint, world_.client, GEX_EP_CAPABILITY_RMA, 0), GASNET_OK);
    EXPECT_EQ(gex_EP_QueryIndex(endpoint), endpoints_.size()) << "a refusal takes no index";
    gex_EP_SetCData(endpoint, this);
    gex_EP_BindSegment(endpoint, segment, 0);
    EXPECT_EQ(gex_EP_QuerySegment(endpoint), segment);
    EXPECT_EQ(gex_EP_QueryCData(endpoint), this);
    add(endpoint, segment);
    return true;
  }
  void publish() {
    EXPECT_EQ(gex_EP_PublishBoundSegment(world_.team, endpoints_.data(), endpoints_.size(), 0),
              GASNET_OK);
  }

  gex_EP_Index_t count() const { return static_cast<gex_EP_Index_t>(endpoints_.size()); }
  gex_TM_t pair(gex_EP_Index_t here, gex_EP_Index_t there) const {
    return gex_TM_Pair(endpoints_.at(here), there);
  }
  std::byte* data(gex_EP_Index_t i) const {
    return static_cast<std::byte*>(gex_Segment_QueryAddr(segments_.at(i)));
  }

 private:
  void add(gex_EP_t endpoint, gex_Segment_t segment) {
    endpoints_.push_back(endpoint);
    segments_.push_back(segment);
  }

  World& world_;
  std::vector<gex_EP_t> endpoints_;
  std::vector<gex_Segment_t> segments_;
  std::vector<gex_MK_t> kinds_;
};

// Asks for the completion of both events as a thread does that polls for others.
void poll_for(gex_Event_t root, gex_Event_t local) {
  const auto is_done = [](gex_Event_t event) { return gex_Event_Test(event) == GASNET_OK; };
  GASNET_BLOCKUNTIL(is_done(local));
  GASNET_BLOCKUNTIL(is_done(root));
}

// A put that does not wait for room until it has been refused once, with an event for its source.
void put_and_poll(World& world, gex_TM_t pair, std::byte* there, std::byte* here,
                  std::size_t size) {
  gex_Event_t local = GEX_EVENT_INVALID;
  gex_Event_t root =
      gex_RMA_PutNB(pair, world.right(), there, here, size, &local, GEX_FLAG_IMMEDIATE);
  if (root == GEX_EVENT_NO_OP)
    root = gex_RMA_PutNB(pair, world.right(), there, here, size, &local, 0);
  if (world.client->door->threads() == ThreadMode::seq) return poll_for(root, local);
  std::jthread([&] {
    adopt(world);
    poll_for(root, local);
  }).join();
}

// From each to each of the right neighbor, and back.
void exchange(World& world, const Bindings& all) {
  constexpr std::size_t part = 150'000;
  const auto copy = [](void* to, const void* from) {
    door().devices().copy("test", to, from, part);
  };
  for (gex_EP_Index_t here = 0; here < all.count(); ++here)
    for (gex_EP_Index_t other = 0; other < all.count(); ++other) {
      const gex_TM_t pair = all.pair(here, other);
      void* found = nullptr;
      gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, world.right(), &found, nullptr, nullptr, 0));
      auto* there = static_cast<std::byte*>(found) + part;
      const std::size_t salt = 16U * here + other;
      const std::vector<std::byte> sent = pattern(part, salt + world.me());
      copy(all.data(here), sent.data());
      put_and_poll(world, pair, there, all.data(here), part);
      world.barrier();
      std::vector<std::byte> got(part);
      copy(got.data(), all.data(other) + part);
      EXPECT_EQ(got, pattern(part, salt + world.left())) << here << " to " << other;
      copy(all.data(here), got.data());
      gex_Event_Wait(gex_RMA_GetNB(pair, all.data(here), world.right(), there, part, 0));
      copy(got.data(), all.data(here));
      EXPECT_EQ(got, sent) << other << " from " << here;
      world.barrier();
    }
}

GASNET_TEST(devices_are_bound_in_turn_and_published_at_once, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  Kind& first = **door().engine().kinds().device(0);
  Kind& second = **door().engine().kinds().device(1);
  const MutableBytes memory = *first.allocate(segment_size);
  const MutableBytes other = *second.allocate(segment_size);
  {
    const std::array device{arguments(0), arguments(1), arguments(63)};
    gex_System_SetVerboseErrors(0);
    Bindings all(world);
    EXPECT_TRUE(all.bind(device.data(), memory.data(), memory.size()));
    EXPECT_FALSE(all.bind(&device[2], memory.data(), memory.size())) << "no such device";
    EXPECT_FALSE(all.bind(device.data(), all.data(0), 4096)) << "memory of the host";
    EXPECT_FALSE(all.bind(&device[1], memory.data(), 4096)) << "memory of another device";
    EXPECT_TRUE(all.bind(&device[1], other.data() + 4096, other.size() - 4096));
    EXPECT_TRUE(all.bind(nullptr, nullptr, segment_size));
    world.barrier();  // ranks here are threads of one process
    gex_System_SetVerboseErrors(1);
    all.publish();
    world.barrier();
    exchange(world, all);
  }
  EXPECT_TRUE(first.release(memory.data())) << "it is the client's";
  EXPECT_TRUE(second.release(other.data()));
}

constexpr gex_AM_Index_t medium_index = 200;
constexpr gex_AM_Index_t long_index = 201;
thread_local std::vector<std::byte> brought;
thread_local void* announced = nullptr;
thread_local std::uint32_t messages = 0;

void take_medium(gex_Token_t /*token*/, void* payload, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(payload);
  brought.assign(bytes, bytes + size);
  ++messages;
}
void take_long(gex_Token_t /*token*/, void* payload, std::size_t /*size*/) {
  announced = payload;
  ++messages;
}
void listen(World& world) {
  messages = 0;
  world.add_handler(medium_index, reinterpret_cast<gex_AM_Fn_t>(&take_medium),
                    GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0);
  world.add_handler(long_index, reinterpret_cast<gex_AM_Fn_t>(&take_long),
                    GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_LONG, 0);
}
void await_message() {
  GASNET_BLOCKUNTIL(messages > 0);
  messages = 0;
}

GASNET_TEST(messages_carry_payloads_of_a_device, 1) {
  NEEDS_DEVICES();
  const Places places(world);
  listen(world);
  world.barrier();
  const gex_TM_t team = places.team(Places::on_first, Places::on_host);
  const std::size_t most = gex_AM_MaxRequestMedium(team, world.right(), GEX_EVENT_NOW, 0, 0);
  for (const std::size_t size : {std::size_t{1}, std::size_t{63}, std::size_t{4095},
                                 std::size_t{4096}, std::size_t{4097}, most}) {
    places.write(Places::on_first, pattern(size, world.me()));
    gex_AM_RequestMedium0(team, world.right(), medium_index, places.data(Places::on_first), size,
                          GEX_EVENT_NOW, 0);
    await_message();
    EXPECT_EQ(brought, pattern(size, world.left())) << size;
    world.barrier();
    const gex_AM_SrcDesc_t prepared = gex_AM_PrepareRequestMedium(
        team, world.right(), places.data(Places::on_first), size, size, GEX_EVENT_NOW, 0, 0);
    gex_AM_CommitRequestMedium0(prepared, medium_index, size);
    await_message();
    EXPECT_EQ(brought, pattern(size, world.left())) << size;
    world.barrier();
  }
}

GASNET_TEST(long_messages_reach_a_device, 1) {
  NEEDS_DEVICES();
  const Places places(world);
  listen(world);
  world.barrier();
  for (const Places::Place from : Places::all)
    for (const Places::Place to : Places::all)
      for (const std::size_t size : {std::size_t{1}, std::size_t{4097}, std::size_t{300'000}}) {
        const gex_TM_t team = places.team(from, to);
        std::byte* there = places.there(to, world.right()) + size;
        const std::size_t salt = world.me() + 3 * from + to;
        places.write(from, pattern(size, salt));
        world.barrier();
        while (gex_AM_RequestLong0(team, world.right(), long_index, places.data(from), size, there,
                                   GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE) != 0)
          gasnet_AMPoll();
        await_message();
        EXPECT_EQ(announced, places.data(to) + size);
        const std::vector<std::byte> all = places.read(to, 2 * size);
        EXPECT_EQ(std::vector(all.begin() + static_cast<std::ptrdiff_t>(size), all.end()),
                  pattern(size, world.left() + 3 * from + to))
            << size;
        world.barrier();
        const gex_AM_SrcDesc_t prepared = gex_AM_PrepareRequestLong(
            team, world.right(), places.data(from), size, size, there, GEX_EVENT_NOW, 0, 0);
        places.write(from, pattern(size, salt + 50));
        gex_AM_CommitRequestLong0(prepared, long_index, size, there);
        await_message();
        const std::vector<std::byte> again = places.read(to, 2 * size);
        EXPECT_EQ(std::vector(again.begin() + static_cast<std::ptrdiff_t>(size), again.end()),
                  pattern(size, world.left() + 3 * from + to + 50))
            << size;
        world.barrier();
        const gex_AM_SrcDesc_t empty = gex_AM_PrepareRequestLong(
            team, world.right(), places.data(from), size, size, there, GEX_EVENT_NOW, 0, 0);
        gex_AM_CommitRequestLong0(empty, long_index, 0, there);
        await_message();
        world.barrier();
      }
}

// Each form moves the first 8 of every 24 bytes of a source to the first 8 of every 40 of a target.
GASNET_TEST(vectors_indices_and_strides_reach_a_device, 1) {
  NEEDS_DEVICES();
  constexpr std::size_t rows = 300;
  const Places places(world);
  const std::array<std::size_t, 1> count{rows};
  const std::array<std::ptrdiff_t, 1> near_step{24};
  const std::array<std::ptrdiff_t, 1> far_step{40};
  for (const Places::Place here : Places::all)
    for (const Places::Place other : Places::all) {
      const gex_TM_t team = places.team(here, other);
      std::byte* ours = places.data(here) + 1024;
      std::byte* theirs = places.there(other, world.right()) + std::ptrdiff_t{64} * 1024;
      std::vector<void*> near_list;
      std::vector<void*> far_list;
      std::vector<gex_Memvec_t> near_vector;
      std::vector<gex_Memvec_t> far_vector;
      for (std::size_t i = 0; i < rows; ++i) {
        near_vector.push_back({near_list.emplace_back(ours + 24 * i), 8});
        far_vector.push_back({far_list.emplace_back(theirs + 40 * i), 8});
      }
      const auto right = world.right();
      const auto begin = [&](std::size_t salt) {
        world.barrier();
        places.write(here, pattern(1024 + 24 * rows, salt + world.me()));
        world.barrier();
      };
      // What was put here, read back, and compared with what the left neighbor has sent.
      const auto check = [&](std::size_t salt) {
        world.barrier();
        const std::vector<std::byte> all = places.read(other, 64 * 1024 + 40 * rows);
        const std::vector<std::byte> sent = pattern(1024 + 24 * rows, salt + world.left());
        for (std::size_t i = 0; i < rows; ++i)
          EXPECT_EQ(all[64 * 1024 + 40 * i + 7], sent[1024 + 24 * i + 7]);
        world.barrier();
        places.write(here, std::vector<std::byte>(1024 + 24 * rows));
      };
      const auto check_got = [&](std::size_t salt) {
        const std::vector<std::byte> got = places.read(here, 1024 + 24 * rows);
        const std::vector<std::byte> sent = pattern(1024 + 24 * rows, salt + world.me());
        for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(got[1024 + 24 * i], sent[1024 + 24 * i]);
      };
      begin(1);
      gex_VIS_StridedPutBlocking(team, right, theirs, far_step.data(), ours, near_step.data(), 8,
                                 count.data(), 1, 0);
      check(1);
      gex_VIS_StridedGetBlocking(team, ours, near_step.data(), right, theirs, far_step.data(), 8,
                                 count.data(), 1, 0);
      check_got(1);
      begin(2);
      gex_VIS_VectorPutBlocking(team, right, rows, far_vector.data(), rows, near_vector.data(), 0);
      check(2);
      gex_VIS_VectorGetBlocking(team, rows, near_vector.data(), right, rows, far_vector.data(), 0);
      check_got(2);
      begin(3);
      gex_VIS_IndexedPutBlocking(team, right, rows, far_list.data(), 8, rows, near_list.data(), 8,
                                 0);
      check(3);
      gex_VIS_IndexedGetBlocking(team, rows, near_list.data(), 8, right, rows, far_list.data(), 8,
                                 0);
      check_got(3);
    }
}

GASNET_TEST(atomic_domains_reach_words_of_a_device, 1) {
  NEEDS_DEVICES();
  const Places places(world);
  std::vector<gex_EP_Location_t> members;
  members.reserve(world.size());
  for (gex_Rank_t i = 0; i < world.size(); ++i)
    members.push_back({i, places.index(Places::on_first)});
  gex_TM_t team = GEX_TM_INVALID;
  gex_TM_Create(&team, 1, world.team, members.data(), members.size(), nullptr, 0,
                GEX_FLAG_TM_NO_SCRATCH);
  gex_AD_t words = GEX_AD_INVALID;
  gex_AD_Create(&words, team, GEX_DT_U64, GEX_OP_FADD | GEX_OP_CAS | GEX_OP_GET, 0);
  gex_AD_t numbers = GEX_AD_INVALID;
  gex_AD_Create(&numbers, team, GEX_DT_DBL, GEX_OP_ADD, 0);
  std::byte* there = places.there(Places::on_first, 0);
  for (int i = 0; i < 20; ++i) {
    std::uint64_t old = 0;
    gex_Event_Wait(gex_AD_OpNB_U64(words, &old, 0, there, GEX_OP_FADD, 3, 0, 0));
    EXPECT_EQ(old % 3, 0U);
    gex_Event_Wait(gex_AD_OpNB_DBL(numbers, nullptr, 0, there + 8, GEX_OP_ADD, 0.5, 0, 0));
  }
  world.barrier();
  std::uint64_t sum = 0;
  gex_Event_Wait(gex_AD_OpNB_U64(words, &sum, 0, there, GEX_OP_GET, 0, 0, 0));
  EXPECT_EQ(sum, 60U * world.size());
  if (world.me() == 0) {
    double number = 0;
    std::memcpy(&number, places.read(Places::on_first, 16).data() + 8, sizeof(number));
    EXPECT_EQ(number, 10.0 * world.size());
  }
  world.barrier();
  gex_AD_Destroy(numbers);
  gex_AD_Destroy(words);
}

// Every other rank has its arrays on a device.
GASNET_TEST(collectives_take_arrays_of_a_device, 1) {
  NEEDS_DEVICES();
  const Places places(world);
  const Places::Place place = world.me() % 2 == 0 ? Places::on_first : Places::on_host;
  std::byte* source = places.data(place);
  for (const std::size_t count : {std::size_t{1}, std::size_t{2000}, std::size_t{40'000}}) {
    const std::size_t bytes = count * sizeof(long);
    std::byte* dest = source + bytes;
    const auto begin = [&] {
      const std::vector<long> values = numbers(count, 100L * world.me());
      places.write(place, std::as_bytes(std::span(values)));
      world.barrier();
    };
    const auto result = [&](std::size_t i) {
      long value = 0;
      door().devices().copy("test", &value, dest + i * sizeof(long), sizeof(value));
      return value;
    };
    const auto last = static_cast<long>(count) - 1;
    const auto ranks = static_cast<long>(world.size());
    begin();
    gex_Event_Wait(gex_Coll_BroadcastNB(world.team, world.size() - 1, dest, source, bytes, 0));
    EXPECT_EQ(result(count - 1), 100 * (ranks - 1) + last);
    gex_Event_Wait(gex_Coll_ReduceToAllNB(world.team, dest, source, GEX_DT_I64, sizeof(long), count,
                                          GEX_OP_ADD, nullptr, nullptr, 0));
    EXPECT_EQ(result(count - 1), 50 * ranks * (ranks - 1) + ranks * last);
    gex_Event_Wait(gex_Coll_ReduceToOneNB(world.team, 0, dest, source, GEX_DT_I64, sizeof(long),
                                          count, GEX_OP_MAX, nullptr, nullptr, 0));
    if (world.me() == 0) EXPECT_EQ(result(0), 100 * (ranks - 1));
    world.barrier();
    if (bytes * (world.size() + 1) > segment_size) continue;
    gasnet_coll_gather_all(world.team, dest, source, bytes,
                           GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC);
    for (gex_Rank_t rank = 0; rank < world.size(); ++rank)
      EXPECT_EQ(result(rank * count), 100L * rank);
    gasnet_coll_gather_all(world.team, dest, source, bytes,
                           GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    EXPECT_EQ(result(count * world.size() - 1), 100 * (ranks - 1) + last);
    world.barrier();
  }
}

}  // namespace
}  // namespace gondwana::gasnet::test
