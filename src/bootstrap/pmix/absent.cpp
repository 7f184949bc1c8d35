// Replaces client.cpp if the headers of PMIx are missing.
#include "bootstrap/pmix/client.hpp"

namespace gondwana {

struct Pmix::Session {};

Pmix::Pmix(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Pmix::Pmix(Pmix&& other) noexcept = default;
Pmix& Pmix::operator=(Pmix&& other) noexcept = default;
Pmix::~Pmix() = default;

namespace {

Error absent() {
  return {Errc::missing,
          "this Gondwana was built without PMIx; install its headers (libpmix-dev on Debian) and "
          "build again"};
}

}  // namespace

Result<Pmix> Pmix::open() {
  return absent();
}

std::uint32_t Pmix::rank() const {
  return 0;
}

std::uint32_t Pmix::size() const {
  return 0;
}

std::string_view Pmix::job() const {
  return {};
}

Result<void> Pmix::put(Round /*round*/, std::string_view /*value*/) {
  return absent();
}

Result<bool> Pmix::fence(const Deadline& /*deadline*/) {
  return absent();
}

Result<std::string> Pmix::get(Round /*round*/, std::uint32_t /*of_rank*/) {
  return absent();
}

Result<void> Pmix::abort(int /*status*/) {
  return absent();
}

void Pmix::finish() {
  session_.reset();
}

Result<PmixLibrary> find_pmix_library() {
  return absent();
}

}  // namespace gondwana
