#include "remote/agent/agent_sleep.hpp"

#include <sched.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "core/machine.hpp"

namespace gondwana::remote {
namespace {

// The time that the agent polls before it sleeps, if a processor is free. A client that sends its
// next request after each reply does so within this time.
constexpr std::uint64_t spin_ns = 50'000;
// The same during a large device transfer: until its next chunk has arrived.
constexpr std::uint64_t between_chunks_ns = 100'000;
// The number of yields before a sleep, if no processor is free. They take about as long as a client
// takes to send again.
constexpr std::uint32_t yields_when_oversubscribed = 4;

}  // namespace

void AgentSleep::end_with(std::initializer_list<int> descriptors, int bell) {
  events_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{};
  event.events = EPOLLIN;
  for (const int descriptor : descriptors)
    if (descriptor >= 0) ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, descriptor, &event);
  event.events = EPOLLIN | EPOLLET;
  ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, bell, &event);
}

void AgentSleep::expect_chunk() {
  chunks_until_ns_ = monotonic_ns() + between_chunks_ns;
}

bool AgentSleep::yields_until(FunctionRef<bool()> done) const {
  const std::uint64_t start = monotonic_ns();
  const bool is_oversubscribed = !may_spin_ && start >= chunks_until_ns_;
  const std::uint64_t until = std::max(start + (may_spin_ ? spin_ns : 0), chunks_until_ns_);
  for (std::uint32_t yields = 0;; ++yields) {
    if (done()) return true;
    if (is_oversubscribed ? yields >= yields_when_oversubscribed : monotonic_ns() >= until)
      return false;
    ::sched_yield();
  }
}

void AgentSleep::wait(std::chrono::nanoseconds limit) const {
  std::array<epoll_event, 2> events{};
  const timespec time{limit.count() / 1'000'000'000, limit.count() % 1'000'000'000};
  const auto size = static_cast<int>(events.size());
  if (::epoll_pwait2(events_.get(), events.data(), size, &time, nullptr) >= 0 || errno != ENOSYS)
    return;
  ::epoll_wait(events_.get(), events.data(), size, static_cast<int>(limit.count() / 1'000'000) + 1);
}

}  // namespace gondwana::remote
