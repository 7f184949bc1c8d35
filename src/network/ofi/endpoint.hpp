// One endpoint of libfabric: connectionless and reliable, with one queue of completions, owned by
// one process and polled by one thread at a time. Everything of libfabric is behind it.
//
// Software providers move nothing by themselves: whoever owns an endpoint polls it.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "network/ofi/filling.hpp"
#include "network/ofi/library.hpp"
#include "network/ofi/local_memory.hpp"
#include "network/ofi/provider.hpp"
#include "network/ofi/registration.hpp"
#include "network/ofi/settings.hpp"
#include "network/posted.hpp"

namespace gondwana::ofi {

using Peer = fi_addr_t;

// What an operation under way is to libfabric: its address comes back with the completion. It must
// stay where it is until then.
struct Context {
  fi_context2 for_provider;
};

// What an endpoint has room for.
struct Receives {
  std::size_t buffers = 0;
  std::size_t longest = 256;  // bytes of a message
};

class Endpoint {
 public:
  // What polling finds. The bytes of a message are gone when the handler returns.
  struct Handlers {
    FunctionRef<void(Bytes)> on_message;
    FunctionRef<void(Context*)> on_done;
    // An operation that failed; why, in words. Providers also tell of failures of their own: the
    // context may be none that was given to them.
    FunctionRef<void(const Context*, const std::string&)> on_failed;
  };

  static Result<std::unique_ptr<Endpoint>> open(const Settings& settings, const Receives& receives);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  ~Endpoint();

  // Provider, version of the library and, where it has one of this kind, own address.
  std::string describe() const;
  // What both ends of a connection must have alike.
  std::string kind() const;
  Bytes address() const { return address_; }
  std::size_t largest_message() const { return info_->ep_attr->max_msg_size; }
  std::size_t most_injected() const { return info_->tx_attr->inject_size; }

  // No connection is made before the first operation.
  Result<Peer> add_peer(Bytes address);

  // For peers, who may then read and write it.
  Result<Registration> register_memory(MutableBytes memory);
  // What peers must add to offsets in memory of this endpoint; 0 where they count from its start.
  std::uint64_t base_of(const std::byte* memory) const;

  // Memory that stays where it is while this endpoint lives, and that operations will often use:
  // not every provider wants to be told. Where it cannot be kept registered, operations take
  // longer.
  void keep(MutableBytes memory);
  // Makes a message at least that long. It is kept likewise, and grows by nobody else.
  void make_room(std::vector<std::byte>& message, std::size_t size);

  // Each is accepted, refused for now, or final. The bytes of an injected message are free at once;
  // of the others, buffer and context stay until on_done or on_failed. A write is done when its
  // bytes are at the target, not when they have left.
  Result<Posted> inject(Peer to, Bytes message);
  Result<Posted> send(Peer to, Bytes message, Context& context);
  Result<Posted> write(Peer to, Bytes source, std::uint64_t remote, std::uint64_t key,
                       Context& context);
  Result<Posted> read(Peer from, MutableBytes target, std::uint64_t remote, std::uint64_t key,
                      Context& context);

  // Handles what has come, a bounded number; how much.
  std::size_t poll(const Handlers& handlers);

  // A message that is none of this job's. The first one is told.
  void refuse();
  // Those, and messages that nothing here has room for.
  std::uint64_t refused() const { return refused_; }

  // Whoever finds nothing may sleep on this descriptor, if may_sleep() says so just before. -1:
  // this provider has none.
  int wait_descriptor() const { return wait_descriptor_; }
  bool may_sleep();

 private:
  struct ReceiveBuffer {
    Context context;
    Filling filling{0, 0};
    bool is_posted = false;
    std::unique_ptr<std::byte[]> bytes;  // not written, so not there, before something comes
  };

  Endpoint(const Library& library, const Receives& receives)
      : library_(library), receives_(receives) {}
  Result<void> open_objects();
  Result<void> open_queue();
  Result<void> read_address();
  Result<void> post(ReceiveBuffer& buffer);
  Result<void> post_all();
  Result<ReceiveBuffer*> add_buffer();
  ReceiveBuffer* find_buffer(const void* context);
  void note(const fi_cq_data_entry& entry);
  void note_failure(ReceiveBuffer& buffer, const fi_cq_err_entry& entry);
  void renew(ReceiveBuffer& buffer);
  void retire(ReceiveBuffer& buffer);
  void handle(const fi_cq_data_entry& entry, const Handlers& handlers);
  void handle_failure(const Handlers& handlers);
  template <typename Post>
  Result<Posted> post_local(const char* what, Bytes memory, std::uint64_t access, Context& context,
                            const Post& post);
  Context* done(void* context);
  Result<Posted> judge(ssize_t outcome, const char* what) const;
  Error trouble(const char* what, ssize_t outcome) const;

  Registrar registrar() const { return {library_, *info_, *domain_, *endpoint_}; }
  std::size_t buffer_size() const;
  std::string place() const;

  const Library& library_;
  Receives receives_;
  Info info_;
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_av> peers_;
  Owned<fid_cq> queue_;
  std::optional<LocalMemory> local_;  // where the provider wants it registered
  Owned<fid_ep> endpoint_;
  std::vector<std::byte> address_;
  std::vector<std::unique_ptr<ReceiveBuffer>> buffers_;
  std::deque<ReceiveBuffer*> posted_;  // as they will be filled
  std::vector<ReceiveBuffer*> spare_;
  std::uint64_t refused_ = 0;
  int wait_descriptor_ = -1;
};

}  // namespace gondwana::ofi
