#include "observe/hosts/observers.hpp"

#include <algorithm>

#include "link/peer_timeout.hpp"
#include "link/way_to_host.hpp"

namespace gondwana::hosts {

void Observers::start(const std::vector<link::Host>& hosts) {
  const Result<std::uint32_t> silence_s = link::peer_timeout_of_user();
  if (!silence_s) {
    errors_.push_back(silence_s.error().text);
    return;
  }
  for (const link::Host& host : hosts) {
    const bool is_known = std::ranges::find(hosts_, host.name, &ObservedHost::name) != hosts_.end();
    if (is_known || link::is_this_host(host.name)) continue;
    ObservedHost observed(host, *silence_s);
    if (const Result<void> started = observed.start(); started)
      hosts_.push_back(std::move(observed));
    else
      errors_.push_back(started.error().text);
  }
}

void Observers::ask(const Message& question, std::chrono::milliseconds time,
                    FunctionRef<void()> meanwhile,
                    FunctionRef<void(const std::string& host, Message& answer)> take,
                    FunctionRef<bool()> continues) {
  for (ObservedHost& host : hosts_)
    if (host.is_there()) host.ask(question);
  meanwhile();
  for (ObservedHost& host : hosts_) {
    if (!host.is_there()) continue;
    Result<Message> answer = host.answer(time, continues);
    if (answer)
      take(host.name(), *answer);
    else
      errors_.push_back(answer.error().text);
  }
}

}  // namespace gondwana::hosts
