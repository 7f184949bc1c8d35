#include "commands/request.hpp"

#include <unistd.h>

#include "link/host_list.hpp"

namespace gondwana::commands {

Result<Request> parse_request(
    const std::vector<std::string>& words,
    FunctionRef<Result<void>(const std::string& word, Words& rest)> take) {
  Request request;
  for (Words rest(words); !rest.is_at_end();) {
    const std::string word = rest.next();
    if (word == "--help" || word == "-h") {
      request.help = true;
    } else if (word == "--json") {
      request.json = true;
    } else if (word == "--all") {
      if (::geteuid() != 0)
        return Error{Errc::refused, "--all: only root may look at jobs of other users"};
      request.choice.whose = jobs::Whose::everybody;
    } else if (word == "--here") {
      request.choice.only_here = true;
    } else if (word == "--hosts") {
      Result<std::vector<link::Host>> hosts = link::parse_hosts(rest.next());
      if (!hosts) return hosts.error();
      request.choice.hosts = *std::move(hosts);
    } else if (const Result<void> taken = take(word, rest); !taken) {
      return taken.error();
    }
  }
  return request;
}

}  // namespace gondwana::commands
