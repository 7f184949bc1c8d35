#include "conformance/endpoint_suite.hpp"

#include <chrono>

namespace gondwana::test {

using network::Operation;
using network::Peer;
using network::Region;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EndpointSuite);

std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  unsigned state = 2654435761U * (seed + 1);
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

std::size_t Side::poll() {
  const auto take = [this](Bytes bytes) {
    if (on_message) return on_message(bytes);
    messages.emplace_back(bytes.begin(), bytes.end());
  };
  const auto end = [this](Operation& operation) { ++done[&operation]; };
  const auto fail = [this](const Operation* operation, const std::string& why) {
    failed[operation] = why;
  };
  return endpoint_->poll({take, end, fail});
}

std::unique_ptr<Side> EndpointSuite::open() {
  Result<std::unique_ptr<network::Endpoint>> endpoint = GetParam().open(receives);
  GONDWANA_ASSERT(static_cast<bool>(endpoint), GetParam().name);
  return std::make_unique<Side>(*std::move(endpoint));
}

void EndpointSuite::SetUp() {
  if (const auto tried = GetParam().open(receives); !tried) GTEST_SKIP() << tried.error().text;
  near_ = open();
  far_ = open();
  far_peer_ = *near_->endpoint().add_peer(far_->endpoint().address());
  near_peer_ = *far_->endpoint().add_peer(near_->endpoint().address());
}

Region EndpointSuite::share(MutableBytes memory) {
  auto registration = far().endpoint().register_memory(memory);
  GONDWANA_ASSERT(static_cast<bool>(registration), memory.size());
  registrations_.push_back(*std::move(registration));
  return *near().endpoint().import_region(far_peer_, registrations_.back()->key());
}

bool EndpointSuite::poll_until(const std::function<bool()>& is_done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    near().poll();
    far().poll();
  }
  return true;
}

Operation* EndpointSuite::post(Side& side, const Side::Post& posting) {
  Operation& operation = side.add_operation();
  bool is_refused = false;
  const bool is_posted = poll_until([&] {
    const Result<Posted> posted = posting(operation);
    is_refused = !posted;
    return is_refused || *posted == Posted::accepted;
  });
  return is_posted && !is_refused ? &operation : nullptr;
}

bool EndpointSuite::carry_out(Side& side, const Side::Post& posting) {
  const Operation* operation = post(side, posting);
  if (operation == nullptr) return false;
  EXPECT_TRUE(
      poll_until([&] { return side.done.contains(operation) || side.failed.contains(operation); }));
  return side.done.contains(operation);
}

bool EndpointSuite::inject(Side& side, Peer to, Bytes message) {
  return post(side, [&](Operation&) { return side.endpoint().inject(to, message); }) != nullptr;
}

bool EndpointSuite::send(Side& side, Peer to, Bytes message) {
  return carry_out(
      side, [&](Operation& operation) { return side.endpoint().send(to, message, operation); });
}

bool EndpointSuite::write(const Region& to, std::uint64_t offset, Bytes source) {
  return carry_out(near(), [&](Operation& operation) {
    return near().endpoint().write(to, offset, source, operation);
  });
}

bool EndpointSuite::read(const Region& from, std::uint64_t offset, MutableBytes target) {
  return carry_out(near(), [&](Operation& operation) {
    return near().endpoint().read(from, offset, target, operation);
  });
}

}  // namespace gondwana::test
