#include "process/leaving.hpp"

#include <chrono>

#include "memory/job_end.hpp"

namespace gondwana {

LeaveActions Leaving::handle(const LeaveEvent& event, std::uint64_t now) {
  if (const auto* end = std::get_if<EndCalled>(&event)) return on(*end);
  if (const auto* done = std::get_if<HandlersDone>(&event)) return on(*done, now);
  if (const auto* told = std::get_if<EndTold>(&event)) {
    status_ = told->status;
    return {};
  }
  if (std::get<OthersSeen>(event).any_lives && now < until_ns_.value_or(0)) return {LookAtOthers{}};
  return {TellLauncher{status_, EndReason::on_purpose}};
}

LeaveActions Leaving::on(const EndCalled& end) {
  // A waiting parent would see 0.
  status_ = end.status != 0 && end.status % 256 == 0 ? 1 : end.status;
  if (!end.reaches_all) return {TellLauncher{status_, EndReason::on_purpose}};
  asks_for_end_ = true;
  return {AnnounceEnd{status_}};
}

// Our guardian detects and evaluates the end of a rank. A foreign launcher may mistake an end for a
// crash, or let the peers of a rank that gave up wait forever.
LeaveActions Leaving::on(const HandlersDone& done, std::uint64_t now) {
  if (asks_for_end_) {
    until_ns_ = now + static_cast<std::uint64_t>(std::chrono::nanoseconds(time_to_end).count());
    return {LookAtOthers{}};
  }
  if (done.is_finished || done.status == 0 || !done.is_foreign) return {LeaveLauncher{}};
  return {SayUnfinished{done.status}, TellLauncher{done.status, EndReason::error}};
}

}  // namespace gondwana
