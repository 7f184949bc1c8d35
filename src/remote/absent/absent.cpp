// Built in place of ofi.cpp and agent.cpp where libfabric has no headers.
#include "remote/agent/agent.hpp"
#include "remote/client/client.hpp"

namespace gondwana {
namespace {

Error absent() {
  return {Errc::missing,
          "this Gondwana was built without libfabric, which carries jobs on several nodes; install "
          "its headers (libfabric-dev on Debian) and build again"};
}

}  // namespace

class RemoteClient::Implementation {};
RemoteClient::~RemoteClient() = default;
Result<std::unique_ptr<RemoteClient>> RemoteClient::open(const Setup& /*setup*/) {
  return absent();
}
std::string_view RemoteClient::name() const {
  return "ofi";
}
Limits RemoteClient::limits() const {
  return {};
}
Result<Posted> RemoteClient::put(Remote /*to*/, Bytes /*source*/, Completion& /*done*/) {
  return absent();
}
Result<Posted> RemoteClient::get(MutableBytes /*target*/, Remote /*from*/, Completion& /*done*/) {
  return absent();
}
Result<Posted> RemoteClient::spread(Rank /*to*/, std::span<const StridedRun> /*pieces*/,
                                    Completion& /*done*/) {
  return absent();
}
Result<Posted> RemoteClient::gather(Rank /*from*/, std::span<const StridedRun> /*pieces*/,
                                    Completion& /*done*/) {
  return absent();
}
Result<Posted> RemoteClient::atomic(Remote /*at*/, const AtomicRequest& /*request*/,
                                    std::byte* /*result*/, Completion& /*done*/) {
  return absent();
}
bool RemoteClient::has_unordered() const {
  return false;
}
std::uint64_t RemoteClient::accepted() const {
  return 0;
}
bool RemoteClient::has_executed(Rank /*at*/, std::uint64_t /*mark*/) {
  return true;
}
Result<Posted> RemoteClient::send_mail(Rank /*to*/, Bytes /*head*/, Bytes /*body*/) {
  return absent();
}
void RemoteClient::listen(MailReceiver /*receiver*/) {}
bool RemoteClient::progress() {
  return false;
}
bool RemoteClient::departed() const {
  return true;
}
void RemoteClient::sleep(std::chrono::microseconds /*limit*/) {}
const Error* RemoteClient::lost() const {
  return nullptr;
}
std::uint64_t RemoteClient::refused() const {
  return 0;
}

Result<std::string> describe_network(const ofi::Settings& /*settings*/) {
  return absent();
}

class NodeAgent::Implementation {
 public:
  NodeContact contact;
};
NodeAgent::~NodeAgent() = default;
Result<std::unique_ptr<NodeAgent>> NodeAgent::open(const Setup& /*setup*/) {
  return absent();
}
const NodeContact& NodeAgent::contact() const {
  return implementation_->contact;
}
void NodeAgent::serve(int /*control*/) {}
NodeAgent::Dropped NodeAgent::dropped() const {
  return {};
}

}  // namespace gondwana
