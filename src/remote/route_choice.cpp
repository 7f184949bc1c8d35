#include "remote/route_choice.hpp"

namespace gondwana::remote {

bool goes_through_agents(RouteOption route, std::uint32_t job_ranks) {
  constexpr std::uint32_t many = 1000;
  return route == RouteOption::automatic ? job_ranks > many : route == RouteOption::agent;
}

}  // namespace gondwana::remote
