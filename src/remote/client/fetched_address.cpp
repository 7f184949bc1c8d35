#include "remote/client/fetched_address.hpp"

#include <span>
#include <utility>

namespace gondwana::remote {
namespace {

// The interval between two reads of an info that is not yet written.
constexpr std::uint64_t ask_again_ns = 1'000'000;

}  // namespace

FetchedAddress::Info& FetchedAddress::info() {
  if (!info_) info_ = std::make_unique<Info>();
  return *info_;
}

Result<Posted> FetchedAddress::fetch(std::uint64_t now_ns, Read read) {
  static_assert(sizeof(Info) == sizeof(EndpointInfo));
  if (!fetching_.done()) return Posted::busy;
  if (std::exchange(is_asked_, false)) {
    if (info().size == 0) {
      ask_ns_ = now_ns + ask_again_ns;
      return Posted::busy;
    }
    if (std::exchange(was_written_, true)) return Posted::accepted;
  }
  if (now_ns < ask_ns_) return Posted::busy;
  const Result<Posted> posted = read(std::as_writable_bytes(std::span(&info(), 1)), fetching_);
  if (!posted) return posted;
  is_asked_ = *posted == Posted::accepted;
  return Posted::busy;
}

Result<Posted> FetchedAddress::copy(const EndpointInfo& written) {
  info().size = written.size.load(std::memory_order_acquire);  // pairs with the rank's release
  info().address = written.address;
  return info().size > 0 ? Posted::accepted : Posted::busy;
}

Bytes FetchedAddress::address() const {
  if (info_->size > info_->address.size()) return {};
  return Bytes(info_->address).first(info_->size);
}

}  // namespace gondwana::remote
