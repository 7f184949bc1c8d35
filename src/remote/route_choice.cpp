#include "remote/route_choice.hpp"

namespace gondwana::ofi {

bool goes_through_agents(Route route, std::uint32_t job_ranks) {
  constexpr std::uint32_t many = 1000;
  return route == Route::automatic ? job_ranks > many : route == Route::agent;
}

}  // namespace gondwana::ofi
