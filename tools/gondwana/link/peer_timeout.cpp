#include "link/peer_timeout.hpp"

#include "core/options.hpp"
#include "core/variables.hpp"

namespace gondwana::link {

Result<std::uint32_t> peer_timeout_of_user() {
  Options options;
  const Result<void> done =
      read_option(VariableId::gondwana_peer_timeout, own_environment(), options);
  if (!done) return done.error();
  return options.peer_timeout;
}

}  // namespace gondwana::link
