#include "support/model/scenario.hpp"

#include "support/model/search.hpp"

namespace gondwana::model {

void Scenario::name(const Doorbell<Atomics>& bell, const std::string& owner) {
  name(bell.asleep, owner + ".asleep");
  name(bell.rings, owner + ".rings");
}

Outcome Scenario::explore(const Limits& limits) {
  const auto workers = static_cast<std::uint8_t>(program_.threads());
  if (finally_) program_.add_thread("finally", {finally_});
  return Search(program_, workers, limits).run();
}

}  // namespace gondwana::model
