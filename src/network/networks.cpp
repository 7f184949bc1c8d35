#include "network/networks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

#include "network/ofi/open.hpp"
#include "network/ucx/open.hpp"

namespace gondwana::network {
namespace {

struct Row {
  std::string_view name;  // value of GONDWANA_NETWORK_LIBRARY
  Result<std::unique_ptr<Endpoint>> (*open)(const Settings&, const Receives&);
};

// The first row is the default, because libfabric checks memory keys on every network.
constexpr std::array rows{
    Row{"ofi", ofi::open},
    Row{"ucx", ucx::open},
};

Result<const Row*> row_named(std::string_view name) {
  const auto* const named = std::ranges::find(rows, name, &Row::name);
  if (named != rows.end()) return named;
  return Error{Errc::invalid_argument,
               fmt::format("GONDWANA_NETWORK_LIBRARY is {}: expected {}", name,
                           fmt::join(rows | std::views::transform(&Row::name), " or "))};
}

}  // namespace

Result<std::unique_ptr<Endpoint>> open_endpoint(const Settings& settings,
                                                const Receives& receives) {
  const Result<const Row*> row =
      settings.library.empty() ? rows.data() : row_named(settings.library);
  if (!row) return row.error();
  return (*row)->open(settings, receives);
}

}  // namespace gondwana::network
