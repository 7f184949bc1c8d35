// An endpoint over UCX: a worker, and a ucp endpoint for each peer in use. Messages are active
// messages; writes and reads are puts and gets. UCX completes a put locally before it is complete
// at its target, which a flush reports. One flush covers all puts to a peer since the last flush.
// The class mirrors network::Endpoint.
#pragma once

#include <ucp/api/ucp.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/pool.hpp"
#include "network/endpoint.hpp"
#include "network/settings.hpp"
#include "network/ucx/library.hpp"
#include "network/ucx/pending_operations.hpp"

namespace gondwana::ucx {

using network::Operation;
using network::Peer;
using network::Region;

class Endpoint final : public network::Endpoint {
 public:
  Endpoint(const Library& library, std::size_t longest) : library_(library), longest_(longest) {}
  ~Endpoint() override;
  Result<void> start(const network::Settings& settings);

  std::string describe() const override;
  std::string kind() const override;
  Bytes address() const override { return address_; }
  std::size_t longest_transfer() const override { return std::size_t{1} << 30; }
  std::size_t max_injected() const override { return longest_injected; }
  Result<Peer> add_peer(Bytes address) override;
  Result<std::unique_ptr<network::Registration>> register_memory(MutableBytes memory) override;
  Result<Region> import_region(Peer peer, Bytes key) override;
  Result<Posted> inject(Peer to, Bytes message) override;
  Result<Posted> send(Peer to, Bytes message, Operation& operation) override;
  Result<Posted> write(const Region& to, std::uint64_t offset, Bytes source,
                       Operation& operation) override;
  Result<Posted> read(const Region& from, std::uint64_t offset, MutableBytes target,
                      Operation& operation) override;
  std::size_t poll(const Handlers& handlers) override;
  int wait_descriptor() const override { return wait_descriptor_; }
  bool may_sleep() override;

 private:
  static constexpr unsigned message_id = 1;
  static constexpr std::size_t longest_injected = 256;
  // The most operations in flight, because UCX itself never reports that it is full.
  static constexpr std::size_t max_in_flight = 2048;

  struct Line {
    Endpoint* owner = nullptr;
    std::vector<std::byte> address;
    ucp_ep_h endpoint = nullptr;  // created by the first operation
    ucs_status_t status = UCS_OK;
    std::vector<Operation*> written;   // not flushed yet
    std::vector<Operation*> flushing;  // covered by the flush in flight
  };
  struct Injected {
    Endpoint* owner = nullptr;
    std::array<std::byte, longest_injected> bytes;
  };

  Result<void> open_context(const network::Settings& settings);
  Result<void> open_worker();
  Result<void> receive_messages();
  Result<void> read_address();
  Result<Line*> connect(Peer peer);
  Result<Posted> accept(Operation& operation, const char* what, ucs_status_ptr_t request);
  void flush(Line& line);
  void end_flush(Line& line, ucs_status_t status);
  ucs_status_t take(Bytes message, bool is_here);
  void wait_for(ucs_status_ptr_t request);
  bool is_full() const { return pending_.count() >= max_in_flight; }
  ucp_request_param_t param_for(Operation& operation);
  Error error_of(const char* what, ucs_status_t status) const;
  std::string place() const override { return describe(); }

  const Library& library_;
  std::size_t longest_;  // longest message in bytes
  std::string own_;      // the machine's address in the chosen subnet
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int wait_descriptor_ = -1;
  std::vector<std::byte> address_;
  std::deque<Line> lines_;  // by peer; elements must not move
  std::vector<ucp_rkey_h> keys_;
  Pool<Injected> injected_;
  PendingOperations pending_;
  const Handlers* handlers_ = nullptr;  // set during poll()
};

}  // namespace gondwana::ucx
