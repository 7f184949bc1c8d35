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

class Ofi::Implementation {};
Ofi::~Ofi() = default;
Result<std::unique_ptr<Ofi>> Ofi::open(const Setup& /*setup*/) {
  return absent();
}
std::string_view Ofi::name() const {
  return "ofi";
}
Limits Ofi::limits() const {
  return {};
}
Result<Posted> Ofi::put(Remote /*to*/, Bytes /*source*/, Completion& /*done*/) {
  return absent();
}
Result<Posted> Ofi::get(MutableBytes /*target*/, Remote /*from*/, Completion& /*done*/) {
  return absent();
}
Result<Posted> Ofi::spread(Rank /*to*/, std::span<const Pieces> /*pieces*/, Completion& /*done*/) {
  return absent();
}
Result<Posted> Ofi::gather(Rank /*from*/, std::span<const Pieces> /*pieces*/,
                           Completion& /*done*/) {
  return absent();
}
Result<Posted> Ofi::atomic(Remote /*at*/, const AtomicRequest& /*request*/, std::byte* /*result*/,
                           Completion& /*done*/) {
  return absent();
}
bool Ofi::has_unordered() const {
  return false;
}
std::uint64_t Ofi::accepted() const {
  return 0;
}
bool Ofi::has_executed(Rank /*at*/, std::uint64_t /*mark*/) {
  return true;
}
Result<Posted> Ofi::send_mail(Rank /*to*/, Bytes /*head*/, Bytes /*body*/) {
  return absent();
}
void Ofi::listen(MailReceiver /*receiver*/) {}
bool Ofi::progress() {
  return false;
}
bool Ofi::departed() const {
  return true;
}
void Ofi::sleep(std::chrono::microseconds /*limit*/) {}
const Error* Ofi::lost() const {
  return nullptr;
}
std::uint64_t Ofi::refused() const {
  return 0;
}

Result<std::string> describe_network(const ofi::Settings& /*settings*/) {
  return absent();
}

class NodeAgent::Implementation {
 public:
  NodeCard card{};
};
NodeAgent::~NodeAgent() = default;
Result<std::unique_ptr<NodeAgent>> NodeAgent::open(const Setup& /*setup*/) {
  return absent();
}
const NodeCard& NodeAgent::card() const {
  return implementation_->card;
}
void NodeAgent::serve(int /*control*/) {}
NodeAgent::Dropped NodeAgent::dropped() const {
  return {};
}

}  // namespace gondwana
