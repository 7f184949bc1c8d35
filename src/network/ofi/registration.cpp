#include "network/ofi/registration.hpp"

#include <fmt/format.h>
#include <rdma/fi_errno.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <algorithm>

#include "core/mapping.hpp"

namespace gondwana::ofi {
namespace {

// The number of retries if a key is in use.
constexpr int max_attempts = 16;

// Hardware locks registered memory.
std::string advice(int failed) {
  rlimit limit{};
  const bool is_short = failed == -FI_ENOMEM || failed == -FI_EPERM || failed == -FI_EAGAIN;
  if (!is_short || ::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "";
  if (limit.rlim_cur == RLIM_INFINITY) return "; `ulimit -l` is not the cause";
  return fmt::format("; registered memory is locked, here at most {} KiB: raise `ulimit -l`",
                     limit.rlim_cur / 1024);
}

}  // namespace

Result<std::uint64_t> Registrar::new_key() const {
  std::uint64_t key = 0;
  if (wants(FI_MR_PROV_KEY)) return key;
  const std::size_t size = std::min(info_.domain_attr->mr_key_size, sizeof(key));
  if (::getrandom(&key, size, 0) < 0)
    return Error{Errc::missing, "cannot get a random number for the key of registered memory"};
  return key;
}

Result<Registration> Registrar::make(Bytes memory, std::uint64_t access) const {
  Registration made;
  int failed = -FI_ENOKEY;
  for (int i = 0; i < max_attempts && failed == -FI_ENOKEY; ++i) {
    const Result<std::uint64_t> key = new_key();
    if (!key) return key.error();
    fid_mr* region = nullptr;
    failed =
        fi_mr_reg(&domain_, memory.data(), memory.size(), access, 0, *key, 0, &region, nullptr);
    if (failed == 0) made.handle.reset(region);
    if (failed != 0 || !wants(FI_MR_ENDPOINT)) continue;
    failed = fi_mr_bind(region, &endpoint_.fid, 0);
    if (failed == 0) failed = fi_mr_enable(region);
  }
  if (failed != 0) return error_of(memory, failed);
  made.key = fi_mr_key(made.handle.get());
  return made;
}

Error Registrar::error_of(Bytes memory, int failed) const {
  return {Errc::out_of_memory,
          fmt::format("libfabric: cannot register {} of memory: {}{}", format_size(memory.size()),
                      library_.strerror(-failed), advice(failed))};
}

}  // namespace gondwana::ofi
