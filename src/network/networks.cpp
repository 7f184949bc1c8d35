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
  std::string_view name;  // in GONDWANA_NETWORK_LIBRARY
  Result<void> (*load)();
  Result<std::unique_ptr<Endpoint>> (*open)(const Settings&, const Receives&);
};

// The first that is here is the one that a job goes by.
constexpr std::array rows{
    Row{"ofi", ofi::load, ofi::open},
    Row{"ucx", ucx::load, ucx::open},
};

Result<const Row*> row_named(std::string_view name) {
  const auto* const named = std::ranges::find(rows, name, &Row::name);
  if (named != rows.end()) return named;
  return Error{Errc::invalid_argument,
               fmt::format("GONDWANA_NETWORK_LIBRARY is {}: expected {}", name,
                           fmt::join(rows | std::views::transform(&Row::name), " or "))};
}

// Where none is here, the first: it says what to install.
const Row* first_row() {
  const auto* const here =
      std::ranges::find_if(rows, [](const Row& row) { return static_cast<bool>(row.load()); });
  return here == rows.end() ? rows.data() : here;
}

}  // namespace

Result<std::unique_ptr<Endpoint>> open_endpoint(const Settings& settings,
                                                const Receives& receives) {
  const Result<const Row*> row =
      settings.library.empty() ? first_row() : row_named(settings.library);
  if (!row) return row.error();
  return (*row)->open(settings, receives);
}

}  // namespace gondwana::network
