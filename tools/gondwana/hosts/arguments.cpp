#include "hosts/arguments.hpp"

#include <vector>

#include "run/command_line/host_list.hpp"

namespace gondwana::hosts {

Result<bool> take_option(std::string_view word, FunctionRef<std::string()> next, Choice& choice) {
  if (word == "--here") {
    choice.only_here = true;
    return true;
  }
  if (word != "--hosts") return false;
  Result<std::vector<launch::Host>> hosts = launch::parse_hosts(next());
  if (!hosts) return hosts.error();
  choice.hosts = *std::move(hosts);
  return true;
}

}  // namespace gondwana::hosts
