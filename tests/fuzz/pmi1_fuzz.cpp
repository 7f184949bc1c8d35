// Answers of a launcher over PMI-1: any bytes are refused or are answers, and nothing waits once
// the launcher has gone.
#include "bootstrap/pmi1.hpp"

#include <sys/socket.h>

#include <array>
#include <string>
#include <string_view>

#include "core/unique_fd.hpp"
#include "fuzz/target.hpp"

namespace gondwana {
namespace {

// All answers are there before the questions. `answers` is not longer than the socket holds.
void speak(std::string_view answers) {
  std::array<int, 2> ends{};
  GONDWANA_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, 0);
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const ssize_t sent = ::send(theirs.get(), answers.data(), answers.size(), MSG_NOSIGNAL);
  GONDWANA_ASSERT(sent == static_cast<ssize_t>(answers.size()), sent);
  ::shutdown(theirs.get(), SHUT_WR);
  Result<Pmi1> session = Pmi1::open(ours.get(), 1, 3, Deadline(20));
  if (!session) return;
  GONDWANA_ASSERT(!session->job().empty(), answers);
  static_cast<void>(session->put(Round::ranks, "value"));
  static_cast<void>(session->fence(Deadline(20)));
  static_cast<void>(session->get(Round::ranks, 0));
  session->finish();
}

}  // namespace
}  // namespace gondwana

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gondwana;
  const std::string_view text(reinterpret_cast<const char*>(data),
                              std::min<std::size_t>(size, 65536));
  speak(text);
  speak("cmd=response_to_init rc=0\ncmd=maxes vallen_max=4096\ncmd=my_kvsname kvsname=k\n" +
        std::string(text));
  for (const std::string_view name : {"cmd", "rc", "kvsname", ""}) {
    const auto value = find_in_line(text, name);
    GONDWANA_ASSERT(!value || value->size() <= text.size(), name);
  }
  return 0;
}
