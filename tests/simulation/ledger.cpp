#include "simulation/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gondwana::simulation {

std::size_t Ledger::add(Cause cause) {
  causes_.push_back(std::move(cause));
  return causes_.size() - 1;
}

void Ledger::settle(int status, Time now) {
  if (status == 0 || settled_ != 0) return;
  settled_ = status;
  settled_at_ = now;
}

// That the launcher was killed may be told of a job that ends already.
void Ledger::say(const std::string& sentence, Time now) {
  if (!told_.empty() && sentence.starts_with("the launcher was killed")) return;
  told_.push_back({sentence, now});
}

// A rank may have ended with a status of its own before: that is the first that counts.
bool Ledger::is_status_of(const Cause& cause, int status, Time decided) const {
  const bool settled = settled_at_ <= decided && !cause.overrides;
  return settled && settled_ == status             ? true
         : settled && settled_at_ < cause.earliest ? false
                                                   : cause.status.contains(status);
}

std::optional<std::string> Ledger::judge(int status, Time now) const {
  if (told_.empty()) return judge_silence(status, now);
  if (told_.size() > 1)
    return fmt::format("the end of the job is told twice: \"{}\" and \"{}\"", told_[0].sentence,
                       told_[1].sentence);
  const auto& [sentence, at] = told_[0];
  // Of two reasons at the same time either may be the first.
  const auto has_silent_cause = [this](Time until) {
    return std::ranges::any_of(causes_, [until](const Cause& cause) {
      return cause.latest <= until && cause.begins.empty();
    });
  };
  if (sentence.starts_with("the launcher was killed") && has_silent_cause(at)) {
    std::optional<std::string> silent = judge_silence(status, now);
    if (!silent || has_silent_cause(at - 1)) return silent;
  }
  std::string wrong = fmt::format("\"{}\" has no cause", sentence);
  for (const Cause& cause : causes_) {
    if (!cause.is_told_by(sentence) || cause.earliest > at) continue;
    const auto earlier = std::ranges::find_if(
        causes_, [&](const Cause& other) { return &other != &cause && other.latest < at; });
    if (earlier != causes_.end() && !(cause.latest < at && cause.earliest <= earlier->latest))
      wrong =
          fmt::format("\"{}\" is told, and it was known before that {}", sentence, earlier->what);
    else if (!is_status_of(cause, status, at))
      wrong = fmt::format("status {} does not go with \"{}\"", status, sentence);
    else
      return std::nullopt;
  }
  return wrong;
}

std::optional<std::string> Ledger::judge_silence(int status, Time now) const {
  const Cause* first = nullptr;  // of those that must have been noticed
  for (const Cause& cause : causes_)
    if (cause.latest < now && (first == nullptr || cause.latest < first->latest)) first = &cause;
  bool any = false;
  for (const Cause& cause : causes_) {
    if (!cause.begins.empty() || cause.earliest > now) continue;
    if (first != nullptr && cause.earliest > first->latest) continue;
    any = true;
    if (is_status_of(cause, status, std::min(cause.latest, now))) return std::nullopt;
  }
  if (first != nullptr && !first->begins.empty() && !any)
    return fmt::format("nothing is told, though {}", first->what);
  if (any && first != nullptr) return fmt::format("status {}, though {}", status, first->what);
  if (status == settled_ || (output_lost_ && settled_ == 0 && status == 1)) return std::nullopt;
  return fmt::format("status {} without a sentence and without a cause; expected {}", status,
                     settled_);
}

}  // namespace gondwana::simulation
