#include "network/ucx/endpoint.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "core/machine.hpp"
#include "core/signals.hpp"
#include "network/ucx/open.hpp"

namespace gondwana::ucx {
namespace {

// The time that the destructor waits for accepted messages to leave.
constexpr std::uint64_t last_messages_ns = 5'000'000'000;

// UCX reads addresses and keys without a length check, so their length precedes them.
void append(std::vector<std::byte>& bytes, const void* more, std::size_t size) {
  const auto* begin = static_cast<const std::byte*>(more);
  const std::uint64_t length = size;
  const Bytes head = std::as_bytes(std::span(&length, 1));
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.insert(bytes.end(), begin, begin + size);
}

// Returns nothing if the length does not match.
std::optional<Bytes> read_framed(Bytes bytes) {
  std::uint64_t length = 0;
  if (bytes.size() <= sizeof(length)) return std::nullopt;
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length != bytes.size() - sizeof(length)) return std::nullopt;
  return bytes.subspan(sizeof(length));
}

// Name and address of the first interface of this machine with an address in the subnet.
std::optional<std::pair<std::string, std::string>> interface_in(const network::Subnet& subnet) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(all, &::freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in address{};
    std::memcpy(&address, each->ifa_addr, sizeof(address));
    if (!subnet.contains(ntohl(address.sin_addr.s_addr))) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    return std::pair<std::string, std::string>{each->ifa_name, text.data()};
  }
  return std::nullopt;
}

class Registered final : public network::Registration {
 public:
  Registered(const Library& library, ucp_context_h context, ucp_mem_h memory)
      : library_(library), context_(context), memory_(memory) {}
  ~Registered() override { library_.mem_unmap(context_, memory_); }
  Bytes key() const override { return key_; }

  // The key is the start address, followed by the key of UCX.
  ucs_status_t pack(const std::byte* begin) {
    void* packed = nullptr;
    std::size_t size = 0;
    const ucs_status_t status = library_.rkey_pack(context_, memory_, &packed, &size);
    if (status != UCS_OK) return status;
    const auto base = reinterpret_cast<std::uintptr_t>(begin);
    const Bytes head = std::as_bytes(std::span(&base, 1));
    key_.assign(head.begin(), head.end());
    append(key_, packed, size);
    library_.rkey_buffer_release(packed);
    return UCS_OK;
  }

 private:
  const Library& library_;
  ucp_context_h context_;
  ucp_mem_h memory_;
  std::vector<std::byte> key_;
};

}  // namespace

Result<std::unique_ptr<network::Endpoint>> open(const network::Settings& settings,
                                                const network::Receives& receives) {
  const Result<const Library*> library = load_library();
  if (!library) return library.error();
  const SignalActionsKept from_its_modules;
  const SignalsBlocked in_its_thread;
  auto endpoint = std::make_unique<Endpoint>(**library, receives.longest);
  if (const Result<void> done = endpoint->start(settings); !done) return done.error();
  return std::unique_ptr<network::Endpoint>(std::move(endpoint));
}

Result<void> Endpoint::start(const network::Settings& settings) {
  const Result<void> done = open_context(settings);
  return done ? open_worker() : done;
}

// Shared memory does not count as a network. Nodes share it only if one machine holds several
// nodes.
Result<void> Endpoint::open_context(const network::Settings& settings) {
  ucp_config_t* config = nullptr;
  if (const ucs_status_t status = library_.config_read(nullptr, nullptr, &config); status != UCS_OK)
    return error_of("configuration", status);
  const std::unique_ptr<ucp_config_t, decltype(library_.config_release)> owned(
      config, library_.config_release);
  if (!settings.provider.empty())
    library_.config_modify(config, "TLS", settings.provider.c_str());
  else if (std::getenv("UCX_TLS") == nullptr)
    library_.config_modify(config, "TLS", "^shm");
  if (settings.subnet) {
    const auto own = interface_in(*settings.subnet);
    if (!own)
      return Error{Errc::missing,
                   "no address of this machine is in the network that GONDWANA_NETWORK names"};
    own_ = own->second;
    library_.config_modify(config, "NET_DEVICES", own->first.c_str());
  }
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_WAKEUP;
  const ucs_status_t status =
      library_.init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_);
  return status == UCS_OK ? Result<void>{} : error_of("start", status);
}

Result<void> Endpoint::open_worker() {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  if (const ucs_status_t status = library_.worker_create(context_, &params, &worker_);
      status != UCS_OK)
    return error_of("worker", status);
  if (library_.worker_get_efd(worker_, &wait_descriptor_) != UCS_OK) wait_descriptor_ = -1;
  const Result<void> receives = receive_messages();
  return receives ? read_address() : receives;
}

Result<void> Endpoint::receive_messages() {
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                       UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = message_id;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.arg = this;
  handler.cb = [](void* self, const void*, std::size_t, void* data, std::size_t size,
                  const ucp_am_recv_param_t* param) {
    const bool is_here = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0;
    return static_cast<Endpoint*>(self)->take({static_cast<const std::byte*>(data), size}, is_here);
  };
  const ucs_status_t status = library_.set_receiver(worker_, &handler);
  return status == UCS_OK ? Result<void>{} : error_of("messages", status);
}

Result<void> Endpoint::read_address() {
  ucp_address_t* own = nullptr;
  std::size_t size = 0;
  if (const ucs_status_t status = library_.worker_get_address(worker_, &own, &size);
      status != UCS_OK)
    return error_of("own address", status);
  append(address_, own, size);
  library_.worker_release_address(worker_, own);
  if (address_.size() <= network::longest_address) return {};
  return Error{Errc::missing, fmt::format("UCX: an address of {} bytes is too long; use "
                                          "UCX_NET_DEVICES or UCX_TLS to make it shorter",
                                          address_.size())};
}

Endpoint::~Endpoint() {
  if (worker_ != nullptr) {
    ucp_request_param_t param{};
    const bool all_live =
        std::ranges::all_of(lines_, [](const Line& line) { return line.status == UCS_OK; });
    if (all_live) wait_for(library_.worker_flush(worker_, &param));
    for (ucp_rkey_h key : keys_) library_.rkey_destroy(key);
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    for (const Line& line : lines_)
      if (line.endpoint != nullptr) wait_for(library_.ep_close(line.endpoint, &param));
    library_.worker_destroy(worker_);
  }
  if (context_ != nullptr) library_.cleanup(context_);
}

void Endpoint::wait_for(ucs_status_ptr_t request) {
  if (request == nullptr || UCS_PTR_IS_ERR(request)) return;
  const std::uint64_t until = monotonic_ns() + last_messages_ns;
  while (library_.request_check_status(request) == UCS_INPROGRESS && monotonic_ns() < until)
    library_.worker_progress(worker_);
  library_.request_free(request);
}

std::string Endpoint::describe() const {
  return own_.empty() ? kind() : fmt::format("{}, from {}", kind(), own_);
}

// UCX does not promise that different versions work together.
std::string Endpoint::kind() const {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  library_.get_version(&major, &minor, &release);
  return fmt::format("UCX {}.{}", major, minor);
}

Error Endpoint::error_of(const char* what, ucs_status_t status) const {
  return {Errc::peer_lost, fmt::format("UCX: {}: {}", what, library_.status_string(status))};
}

Result<Peer> Endpoint::add_peer(Bytes address) {
  const std::optional<Bytes> framed = read_framed(address);
  if (!framed) return Error{Errc::malformed, "UCX: the address of a peer is malformed"};
  Line& line = lines_.emplace_back();
  line.owner = this;
  line.address.assign(framed->begin(), framed->end());
  return Peer(lines_.size() - 1);
}

Result<Endpoint::Line*> Endpoint::connect(Peer peer) {
  Line& line = lines_[static_cast<std::size_t>(peer)];
  if (line.status != UCS_OK) return error_of("connection", line.status);
  if (line.endpoint != nullptr) return &line;
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(line.address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.arg = &line;
  params.err_handler.cb = [](void* arg, ucp_ep_h, ucs_status_t status) {
    static_cast<Line*>(arg)->status = status;
  };
  const ucs_status_t status = library_.ep_create(worker_, &params, &line.endpoint);
  if (status != UCS_OK) return error_of("connection", line.status = status);
  return &line;
}

Result<std::unique_ptr<network::Registration>> Endpoint::register_memory(MutableBytes memory) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                      UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.address = memory.data();
  params.length = memory.size();
  params.flags = UCP_MEM_MAP_NONBLOCK;
  ucp_mem_h handle = nullptr;
  if (const ucs_status_t status = library_.mem_map(context_, &params, &handle); status != UCS_OK)
    return error_of("registered memory", status);
  auto registered = std::make_unique<Registered>(library_, context_, handle);
  if (const ucs_status_t status = registered->pack(memory.data()); status != UCS_OK)
    return error_of("key of registered memory", status);
  return std::unique_ptr<network::Registration>(std::move(registered));
}

Result<Region> Endpoint::import_region(Peer peer, Bytes key) {
  std::uint64_t base = 0;
  const auto framed =
      key.size() > sizeof(base) ? read_framed(key.subspan(sizeof(base))) : std::nullopt;
  if (!framed) return Error{Errc::malformed, "UCX: the key of a peer's memory is malformed"};
  std::memcpy(&base, key.data(), sizeof(base));
  const Result<Line*> line = connect(peer);
  if (!line) return line.error();
  ucp_rkey_h handle = nullptr;
  if (const ucs_status_t status = library_.rkey_unpack((*line)->endpoint, framed->data(), &handle);
      status != UCS_OK)
    return error_of("key of a peer's memory", status);
  keys_.push_back(handle);
  return Region{peer, {base, reinterpret_cast<std::uintptr_t>(handle)}};
}

}  // namespace gondwana::ucx
