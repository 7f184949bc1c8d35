// An endpoint without a network: it keeps what is sent, and ends operations when the test says so.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "network/endpoint.hpp"

namespace gondwana::test {

class RecordedEndpoint final : public network::Endpoint {
 public:
  struct Message {
    network::Peer to;
    std::vector<std::byte> bytes;
    network::Operation* operation = nullptr;  // null: it was injected
  };

  std::deque<Message> sent;
  bool is_busy = false;  // nothing is accepted

  // The first message is taken out.
  Message take() {
    Message first = std::move(sent.front());
    sent.pop_front();
    return first;
  }

  std::string describe() const override { return "recorded"; }
  std::string kind() const override { return "recorded"; }
  Bytes address() const override { return std::as_bytes(std::span(address_)); }
  std::size_t longest_transfer() const override { return std::size_t{1} << 30; }
  std::size_t max_injected() const override { return 128; }

  // A peer is the first byte of its address.
  Result<network::Peer> add_peer(Bytes address) override {
    if (address.empty()) return Error{Errc::refused, "no address"};
    return network::Peer{std::to_integer<std::uint64_t>(address.front())};
  }
  Result<std::unique_ptr<network::Registration>> register_memory(MutableBytes /*memory*/) override {
    return Error{Errc::refused, "nothing is registered"};
  }
  Result<network::Region> import_region(network::Peer /*peer*/, Bytes /*key*/) override {
    return Error{Errc::refused, "nothing is registered"};
  }

  Result<Posted> inject(network::Peer to, Bytes message) override {
    return keep(to, message, nullptr);
  }
  Result<Posted> send(network::Peer to, Bytes message, network::Operation& operation) override {
    return keep(to, message, &operation);
  }
  Result<Posted> write(const network::Region& /*to*/, std::uint64_t /*offset*/, Bytes /*source*/,
                       network::Operation& /*operation*/) override {
    return Error{Errc::refused, "nothing is registered"};
  }
  Result<Posted> read(const network::Region& /*from*/, std::uint64_t /*offset*/,
                      MutableBytes /*target*/, network::Operation& /*operation*/) override {
    return Error{Errc::refused, "nothing is registered"};
  }
  std::size_t poll(const Handlers& /*handlers*/) override { return 0; }
  int wait_descriptor() const override { return -1; }
  bool may_sleep() override { return true; }

 private:
  std::string place() const override { return "recorded"; }
  Result<Posted> keep(network::Peer to, Bytes message, network::Operation* operation) {
    if (is_busy) return Posted::busy;
    sent.push_back({to, {message.begin(), message.end()}, operation});
    return Posted::accepted;
  }

  std::array<char, 1> address_{'a'};
};

}  // namespace gondwana::test
