// An endpoint over libfabric, with one completion queue. It mirrors network::Endpoint.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/types.hpp"
#include "network/endpoint.hpp"
#include "network/ofi/library.hpp"
#include "network/ofi/local_memory.hpp"
#include "network/ofi/provider.hpp"
#include "network/ofi/receive_buffers.hpp"
#include "network/ofi/registration.hpp"
#include "network/settings.hpp"

namespace gondwana::ofi {

using network::Operation;
using network::Peer;
using network::Receives;
using network::Region;

class Endpoint final : public network::Endpoint {
 public:
  static Result<std::unique_ptr<network::Endpoint>> open(const Settings& settings,
                                                         const Receives& receives);
  ~Endpoint() override;

  std::string describe() const override;
  std::string kind() const override;
  Bytes address() const override { return address_; }
  std::size_t longest_transfer() const override { return info_->ep_attr->max_msg_size; }
  std::size_t max_injected() const override { return info_->tx_attr->inject_size; }
  Result<Peer> add_peer(Bytes address) override;
  Result<std::unique_ptr<network::Registration>> register_memory(MutableBytes memory) override;
  Result<Region> import_region(Peer peer, Bytes key) override;
  void keep(MutableBytes memory) override;
  void make_room(std::vector<std::byte>& message, std::size_t size) override;
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
  Endpoint(const Library& library, const Receives& receives)
      : library_(library), receives_(receives) {}
  Result<void> open_objects();
  Result<void> open_domain();
  Result<void> open_queue();
  Result<void> open_endpoint();
  Result<void> read_address();
  void handle(const fi_cq_data_entry& entry, const Handlers& handlers);
  void handle_failure(const Handlers& handlers);
  template <typename Post>
  Result<Posted> post_local(const char* what, Bytes memory, std::uint64_t access,
                            Operation& operation, const Post& post);
  Operation& done(void* operation);
  Result<Posted> judge(ssize_t outcome, const char* what) const;
  Registrar registrar() const { return {library_, *info_, *domain_, *endpoint_}; }
  std::string place() const override;

  const Library& library_;
  Receives receives_;
  Info info_;
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_av> peers_;
  Owned<fid_cq> queue_;
  std::optional<LocalMemory> local_;  // used if the provider wants local memory registered
  Owned<fid_ep> endpoint_;
  std::vector<std::byte> address_;
  std::optional<ReceiveBuffers> buffers_;
  int wait_descriptor_ = -1;
};

}  // namespace gondwana::ofi
