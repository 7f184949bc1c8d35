#include "network/ofi/endpoint.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <rdma/fi_cm.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "core/signals.hpp"
#include "network/ofi/open.hpp"

namespace gondwana::ofi {
namespace {

constexpr std::size_t max_at_once = 64;

static_assert(sizeof(fi_context2) <= sizeof(Operation::room));
static_assert(FI_ADDR_UNSPEC == static_cast<fi_addr_t>(network::no_peer));

fi_addr_t address_of(Peer peer) {
  return static_cast<fi_addr_t>(peer);
}

// Data that peers need to access registered memory: the base that they add to offsets, and the key.
using Key = std::array<std::uint64_t, 2>;

class Registered final : public network::Registration {
 public:
  Registered(ofi::Registration registration, std::uint64_t base)
      : registration_(std::move(registration)), key_{base, registration_.key} {}
  Bytes key() const override { return std::as_bytes(std::span(key_)); }

 private:
  ofi::Registration registration_;
  Key key_;
};

}  // namespace

Endpoint::~Endpoint() {
  endpoint_.reset();  // must precede the buffers that it receives into
  local_.reset();
}

Result<std::unique_ptr<network::Endpoint>> open(const Settings& settings,
                                                const Receives& receives) {
  return Endpoint::open(settings, receives);
}

Result<std::unique_ptr<network::Endpoint>> Endpoint::open(const Settings& settings,
                                                          const Receives& receives) {
  // Signal handlers of PSM print a stack and exit. They would hide which signal ended the rank.
  const SignalActionsKept from_its_providers;
  const Result<const Library*> library = load_library();
  if (!library) return library.error();
  std::unique_ptr<Endpoint> endpoint(new Endpoint(**library, receives));
  Result<Info> info = choose_provider(**library, settings);
  if (!info) return info.error();
  endpoint->info_ = *std::move(info);
  if (const Result<void> done = endpoint->open_objects(); !done) return done.error();
  if (const Result<void> done = endpoint->read_address(); !done) return done.error();
  if (const Result<void> done = endpoint->buffers_->post_all(); !done) return done.error();
  return std::unique_ptr<network::Endpoint>(std::move(endpoint));
}

Result<void> Endpoint::open_objects() {
  Result<void> done = open_domain();
  if (done) done = open_queue();
  if (done) done = open_endpoint();
  if (!done) return done;
  if (registrar().wants(FI_MR_LOCAL)) local_.emplace(registrar());
  buffers_.emplace(library_, receives_, *endpoint_, local_ ? &*local_ : nullptr);
  return {};
}

Result<void> Endpoint::open_domain() {
  fid_fabric* fabric = nullptr;
  if (const int failed = library_.fabric(info_->fabric_attr, &fabric, nullptr); failed != 0)
    return error_of(library_, "fabric", failed);
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  if (const int failed = fi_domain(fabric, info_.get(), &domain, nullptr); failed != 0)
    return error_of(library_, "domain", failed);
  domain_.reset(domain);
  fi_av_attr peers{};
  peers.type = FI_AV_TABLE;
  fid_av* table = nullptr;
  if (const int failed = fi_av_open(domain, &peers, &table, nullptr); failed != 0)
    return error_of(library_, "address table", failed);
  peers_.reset(table);
  return {};
}

Result<void> Endpoint::open_endpoint() {
  fid_ep* endpoint = nullptr;
  if (const int failed = fi_endpoint(domain_.get(), info_.get(), &endpoint, nullptr); failed != 0)
    return error_of(library_, "endpoint", failed);
  endpoint_.reset(endpoint);
  if (const int failed = fi_ep_bind(endpoint, &peers_->fid, 0); failed != 0)
    return error_of(library_, "endpoint and addresses", failed);
  if (const int failed = fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV); failed != 0)
    return error_of(library_, "endpoint and queue", failed);
  std::size_t least = receives_.longest;  // the provider returns a buffer with less space
  if (const int failed =
          fi_setopt(&endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof(least));
      failed != 0)
    return error_of(library_, "receive buffers", failed);
  if (const int failed = fi_enable(endpoint); failed != 0)
    return error_of(library_, "start", failed);
  return {};
}

// Opens the queue with a descriptor to sleep on, or without one if the provider has none.
Result<void> Endpoint::open_queue() {
  int failed = 0;
  for (const fi_wait_obj wait : {FI_WAIT_FD, FI_WAIT_NONE}) {
    fi_cq_attr attributes{};
    attributes.format = FI_CQ_FORMAT_DATA;
    attributes.wait_obj = wait;
    fid_cq* queue = nullptr;
    failed = fi_cq_open(domain_.get(), &attributes, &queue, nullptr);
    if (failed != 0) continue;
    queue_.reset(queue);
    if (wait == FI_WAIT_FD && fi_control(&queue->fid, FI_GETWAIT, &wait_descriptor_) != 0)
      wait_descriptor_ = -1;
    return {};
  }
  return error_of(library_, "queue", failed);
}

Result<void> Endpoint::read_address() {
  std::size_t size = 256;
  address_.resize(size);
  if (const int failed = fi_getname(&endpoint_->fid, address_.data(), &size); failed != 0)
    return error_of(library_, "own address", failed);
  address_.resize(size);
  return {};
}

std::string Endpoint::describe() const {
  const std::uint32_t version = library_.version();
  std::string text = fmt::format("{} of libfabric {}.{}", info_->fabric_attr->prov_name,
                                 FI_MAJOR(version), FI_MINOR(version));
  if (const std::optional<std::uint32_t> own = ipv4_of(*info_); own) {
    const in_addr address{htonl(*own)};
    std::array<char, INET_ADDRSTRLEN> name{};
    ::inet_ntop(AF_INET, &address, name.data(), name.size());
    text += fmt::format(", from {}", name.data());
  }
  return text;
}

// The text contains the limit of rxm, because endpoints with different limits disconnect without an
// error.
std::string Endpoint::kind() const {
  std::string provider = info_->fabric_attr->prov_name;
  if (provider.find("ofi_rxm") == std::string::npos) return provider;
  return fmt::format("{}, {}={}", provider, rxm_eager_limit, std::getenv(rxm_eager_limit));
}

Result<Peer> Endpoint::add_peer(Bytes address) {
  if (address.size() != address_.size())
    return Error{Errc::malformed, "libfabric: the address of a peer is malformed"};
  fi_addr_t peer = FI_ADDR_UNSPEC;
  const int inserted = fi_av_insert(peers_.get(), address.data(), 1, &peer, 0, nullptr);
  if (inserted != 1) return error_of(library_, "address of a peer", inserted);
  return Peer(peer);
}

Result<std::unique_ptr<network::Registration>> Endpoint::register_memory(MutableBytes memory) {
  Result<Registration> made = registrar().make(memory, FI_REMOTE_READ | FI_REMOTE_WRITE);
  if (!made) return made.error();
  const bool has_addresses = registrar().wants(FI_MR_VIRT_ADDR);
  const auto base = has_addresses ? reinterpret_cast<std::uintptr_t>(memory.data()) : 0;
  return std::unique_ptr<network::Registration>(new Registered(*std::move(made), base));
}

Result<Region> Endpoint::import_region(Peer peer, Bytes key) {
  Region region{.peer = peer};
  if (key.size() != sizeof(Key))
    return Error{Errc::malformed, "libfabric: the key of a peer's memory is malformed"};
  std::memcpy(region.words.data(), key.data(), key.size());
  return region;
}

void Endpoint::keep(MutableBytes memory) {
  if (!local_) return;
  [[maybe_unused]] const Result<void> kept = local_->keep(memory);
}

void Endpoint::make_room(std::vector<std::byte>& message, std::size_t size) {
  if (message.size() >= size) return;
  if (local_) local_->forget(message.data());
  message.resize(size);
  keep(message);
}

Result<Posted> Endpoint::judge(ssize_t outcome, const char* what) const {
  if (outcome == 0) return Posted::accepted;
  if (outcome == -FI_EAGAIN) return Posted::busy;
  return error_of(library_, what, outcome);
}

Result<Posted> Endpoint::inject(Peer to, Bytes message) {
  return judge(fi_inject(endpoint_.get(), message.data(), message.size(), address_of(to)), "send");
}

// Calls `post` with the descriptor of the memory, or null if the provider needs none.
template <typename Post>
Result<Posted> Endpoint::post_local(const char* what, Bytes memory, std::uint64_t access,
                                    Operation& operation, const Post& post) {
  if (!local_) [[likely]]
    return judge(post(nullptr), what);
  const Result<void*> descriptor = local_->descriptor(memory, access, &operation);
  if (!descriptor) return descriptor.error();
  const ssize_t outcome = post(*descriptor);
  if (outcome != 0) local_->release(&operation);
  return judge(outcome, what);
}

Result<Posted> Endpoint::send(Peer to, Bytes message, Operation& operation) {
  return post_local("send", message, FI_SEND, operation, [&](void* descriptor) {
    return fi_send(endpoint_.get(), message.data(), message.size(), descriptor, address_of(to),
                   &operation);
  });
}

// With FI_DELIVERY_COMPLETE, a write completes when its bytes are at the target.
Result<Posted> Endpoint::write(const Region& to, std::uint64_t offset, Bytes source,
                               Operation& operation) {
  const auto [base, key] = to.words;
  const iovec local{const_cast<std::byte*>(source.data()), source.size()};
  const fi_rma_iov target{base + offset, source.size(), key};
  fi_msg_rma message{};
  message.msg_iov = &local;
  message.iov_count = 1;
  message.addr = address_of(to.peer);
  message.rma_iov = &target;
  message.rma_iov_count = 1;
  message.context = &operation;
  return post_local("put", source, FI_WRITE, operation, [&](void* descriptor) {
    message.desc = descriptor == nullptr ? nullptr : &descriptor;
    return fi_writemsg(endpoint_.get(), &message, FI_DELIVERY_COMPLETE | FI_COMPLETION);
  });
}

Result<Posted> Endpoint::read(const Region& from, std::uint64_t offset, MutableBytes target,
                              Operation& operation) {
  return post_local("get", target, FI_READ, operation, [&](void* descriptor) {
    return fi_read(endpoint_.get(), target.data(), target.size(), descriptor, address_of(from.peer),
                   from.words[0] + offset, from.words[1], &operation);
  });
}

std::size_t Endpoint::poll(const Handlers& handlers) {
  std::array<fi_cq_data_entry, max_at_once> entries;
  const ssize_t count = fi_cq_read(queue_.get(), entries.data(), entries.size());
  if (count == -FI_EAVAIL) {
    handle_failure(handlers);
    return 1;
  }
  if (count <= 0) return 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) handle(entries[i], handlers);
  return static_cast<std::size_t>(count);
}

// A write by an unknown process may also produce a completion, which has no context.
void Endpoint::handle(const fi_cq_data_entry& entry, const Handlers& handlers) {
  if (entry.op_context == nullptr) [[unlikely]]
    return;
  if ((entry.flags & (FI_RECV | FI_MULTI_RECV)) == 0)
    return handlers.on_done(done(entry.op_context));
  if ((entry.flags & FI_RECV) != 0)
    handlers.on_message({static_cast<const std::byte*>(entry.buf), entry.len});
  buffers_->note(entry);
}

// The failure belongs to an operation, to a message that did not fit, or to the provider itself,
// for example to a broken connection. Users of that connection are informed by their own
// operations.
void Endpoint::handle_failure(const Handlers& handlers) {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(queue_.get(), &entry, 0) != 1) return;
  if (entry.op_context == nullptr) return;
  if (buffers_->note_failure(entry)) {
    if (entry.err == FI_ETRUNC) refuse();
    return;
  }
  if ((entry.flags & FI_RECV) != 0) return;
  const bool is_cancelled = entry.err == FI_ECANCELED;  // when a connection ends
  handlers.on_failed(&done(entry.op_context),
                     is_cancelled ? "the connection has ended" : library_.strerror(entry.err));
}

std::string Endpoint::place() const {
  sockaddr_in address{};
  if (address_.size() < sizeof(address)) return info_->fabric_attr->prov_name;
  std::memcpy(&address, address_.data(), sizeof(address));
  if (address.sin_family != AF_INET) return info_->fabric_attr->prov_name;
  std::array<char, INET_ADDRSTRLEN> name{};
  ::inet_ntop(AF_INET, &address.sin_addr, name.data(), name.size());
  return fmt::format("{}:{}", name.data(), ntohs(address.sin_port));
}

// Releases the memory of the operation before its owner is informed of the completion.
Operation& Endpoint::done(void* operation) {
  if (local_) [[unlikely]]
    local_->release(operation);
  return *static_cast<Operation*>(operation);
}

bool Endpoint::may_sleep() {
  fid* objects = &queue_->fid;
  return wait_descriptor_ >= 0 && fi_trywait(fabric_.get(), &objects, 1) == FI_SUCCESS;
}

}  // namespace gondwana::ofi
