// The buffers that an endpoint over libfabric receives into. The provider fills them in the order
// in which they were posted, each with many messages.
#pragma once

#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "core/result.hpp"
#include "network/endpoint.hpp"
#include "network/ofi/filling.hpp"
#include "network/ofi/library.hpp"
#include "network/ofi/local_memory.hpp"

namespace gondwana::ofi {

class ReceiveBuffers {
 public:
  // `local`: null if the provider does not require registered local memory. All arguments must
  // outlive this object.
  ReceiveBuffers(const Library& library, const network::Receives& receives, fid_ep& endpoint,
                 LocalMemory* local)
      : library_(library), receives_(receives), endpoint_(endpoint), local_(local) {}

  Result<void> post_all();
  // Records that the buffer of the completion has received a message or was given back.
  void note(const fi_cq_data_entry& entry);
  // False: the failure does not concern a buffer.
  bool note_failure(const fi_cq_err_entry& entry);

 private:
  struct Buffer {
    network::Operation operation;
    Filling filling{0, 0};
    bool is_posted = false;
    std::unique_ptr<std::byte[]> bytes;  // uninitialized, so pages are allocated as messages arrive
  };

  std::size_t buffer_size() const;
  Result<void> post(Buffer& buffer);
  Result<Buffer*> add();
  Buffer* find(const void* operation) const;
  void renew(Buffer& buffer);
  void retire(Buffer& buffer);

  const Library& library_;
  network::Receives receives_;
  fid_ep& endpoint_;
  LocalMemory* local_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::deque<Buffer*> posted_;  // in the order in which the provider fills them
  std::vector<Buffer*> spare_;
};

}  // namespace gondwana::ofi
