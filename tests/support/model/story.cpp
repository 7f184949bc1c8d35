#include "support/model/story.hpp"

#include <fmt/format.h>

namespace gondwana::model {
namespace {

bool is_read(const Step& step) {
  const Operation& operation = step.operation;
  return operation.kind == Kind::load ||
         (operation.kind == Kind::compare_exchange && step.result != operation.expected);
}

}  // namespace

std::string tell(const Program& program, const Step& step) {
  std::string line =
      fmt::format("{:>12}  {}", program.thread_name(step.thread), program.describe(step.operation));
  switch (step.operation.kind) {
    case Kind::load:
    case Kind::fetch_add:
    case Kind::exchange:
    case Kind::compare_exchange:
    case Kind::read_data:
    case Kind::heavy_fence:
      line += fmt::format(" = {}", step.result);
      break;
    case Kind::futex_wake:
      line += fmt::format(": wakes {}", step.result);
      break;
    case Kind::futex_wait:
      if (step.how == Step::How::plain) line += ": the word has changed";
      if (step.how == Step::How::sleeps) line += ": sleeps";
      if (step.how == Step::How::wakes_by_time) line += ": wakes, its time is up";
      if (step.how == Step::How::wakes_early) line += ": wakes for no reason";
      break;
    default:
      break;
  }
  if (step.behind) line += is_read(step) ? ", not the newest" : ", late";
  return line;
}

}  // namespace gondwana::model
