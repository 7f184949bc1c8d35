// The behaviour that remote/ expects of every network::Endpoint, as tests for any endpoint. Another
// file instantiates the suite for one endpoint, or for an endpoint with its peer elsewhere: see
// ofi_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "network/endpoint.hpp"

namespace gondwana::test {

// An endpoint under test.
struct Candidate {
  std::string name;
  std::function<Result<std::unique_ptr<network::Endpoint>>(const network::Receives&)> open;
  bool checks_keys = true;  // refuses keys and addresses that are not registered
};

inline std::ostream& operator<<(std::ostream& out, const Candidate& candidate) {
  return out << candidate.name;
}

// An endpoint and the messages that it received.
class Side {
 public:
  using Post = std::function<Result<Posted>(network::Operation&)>;

  explicit Side(std::unique_ptr<network::Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  network::Endpoint& endpoint() { return *endpoint_; }
  std::size_t poll();
  void close() { endpoint_.reset(); }
  // The operation of the next post. It lives as long as this object.
  network::Operation& add_operation() { return operations_.emplace_back(); }

  std::vector<std::vector<std::byte>> messages;
  std::map<const network::Operation*, int> done;
  std::map<const network::Operation*, std::string> failed;
  std::function<void(Bytes)> on_message;  // called instead of keeping the message

 private:
  std::deque<network::Operation> operations_;  // declared before the members that use them
  std::unique_ptr<network::Endpoint> endpoint_;
};

class EndpointSuite : public testing::TestWithParam<Candidate> {
 protected:
  static constexpr network::Receives receives{.buffers = 4, .longest = 70'000};

  void SetUp() override;
  std::unique_ptr<Side> open();

  Side& near() { return *near_; }
  Side& far() { return *far_; }
  network::Peer far_peer() const { return far_peer_; }
  network::Peer near_peer() const { return near_peer_; }
  // Memory of the remote side that the near side may access.
  network::Region share(MutableBytes memory);

  // Ends the remote side and all memory that it shares.
  void end_far() {
    registrations_.clear();
    far_->close();
  }

  // Polls both sides until is_done() holds. False: timeout.
  bool poll_until(const std::function<bool()>& is_done);
  // Posts as soon as there is space; null if the post is refused.
  network::Operation* post(Side& side, const Side::Post& posting);
  // The same, and waits for the completion. False: the operation failed.
  bool carry_out(Side& side, const Side::Post& posting);
  bool inject(Side& side, network::Peer to, Bytes message);
  bool send(Side& side, network::Peer to, Bytes message);
  bool write(const network::Region& to, std::uint64_t offset, Bytes source);
  bool read(const network::Region& from, std::uint64_t offset, MutableBytes target);

 private:
  std::unique_ptr<Side> near_;
  std::unique_ptr<Side> far_;
  std::vector<std::unique_ptr<network::Registration>> registrations_;
  network::Peer far_peer_ = network::no_peer;
  network::Peer near_peer_ = network::no_peer;
};

// Bytes that differ between seeds.
std::vector<std::byte> pattern(std::size_t size, unsigned seed);

}  // namespace gondwana::test
