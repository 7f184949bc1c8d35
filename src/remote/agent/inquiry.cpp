#include "remote/agent/inquiry.hpp"

#include <algorithm>
#include <utility>

#include "core/fingerprint.hpp"
#include "memory/stillness.hpp"

namespace gondwana::remote {
namespace {

constexpr std::uint64_t longest_pause_ns = 4 * stillness_interval_ns;
constexpr std::uint64_t answer_ns = 2'000'000'000;  // timeout of a reply

}  // namespace

void Inquiry::begin(NodeReport own, std::uint64_t now_ns) {
  ++round_;
  runs_ = true;
  asked_.reset();
  for (std::uint32_t node = 0; node < reports_.size(); ++node)
    if (!is_gone_[node]) reports_[node].reset();
  const bool is_still = own.is_still;
  reports_[node_] = std::move(own);
  if (!is_still) put_off(now_ns);
}

std::optional<std::uint32_t> Inquiry::next_to_ask(std::uint64_t now_ns) {
  if (!runs_) return std::nullopt;
  if (asked_ && now_ns - asked_->since_ns > answer_ns) end_round(now_ns);
  if (!runs_) return std::nullopt;
  if (asked_) {
    if (asked_->is_sent) return std::nullopt;
    asked_->is_sent = true;
    return asked_->node;
  }
  std::uint32_t node = busy_;
  if (reports_[busy_]) {
    const auto missing =
        std::ranges::find_if(reports_, [](const auto& report) { return !report.has_value(); });
    if (missing == reports_.end()) {
      conclude(now_ns);
      return std::nullopt;
    }
    node = static_cast<std::uint32_t>(missing - reports_.begin());
  }
  asked_ = Question{node, now_ns};
  return node;
}

void Inquiry::hear(std::uint32_t node, std::uint32_t round, NodeReport report,
                   std::uint64_t now_ns) {
  if (!runs_ || round != round_ || !is_asked(node)) return;
  asked_.reset();
  const bool is_still = report.is_still;
  reports_[node] = std::move(report);
  if (is_still) return;
  busy_ = node;
  pause_ns_ = std::min(2 * pause_ns_, longest_pause_ns);
  put_off(now_ns);
}

void Inquiry::hear_farewell(std::uint32_t node, NodeReport report) {
  if (node >= reports_.size()) return;
  if (is_asked(node)) asked_.reset();
  reports_[node] = std::move(report);
  is_gone_[node] = true;
}

void Inquiry::put_off(std::uint64_t now_ns) {
  found_.reset();
  end_round(now_ns);
}

void Inquiry::end_round(std::uint64_t now_ns) {
  runs_ = false;
  asked_.reset();
  pause_ns_ = std::max(pause_ns_, stillness_interval_ns);
  next_ns_ = now_ns + pause_ns_;
}

void Inquiry::conclude(std::uint64_t now_ns) {
  bool any_leaves = false;
  bool any_waits = false;
  std::uint64_t print = 0;
  std::uint64_t messages = 0;
  std::string text;
  for (const std::optional<NodeReport>& report : reports_) {
    any_leaves = any_leaves || report->any_leaves;
    any_waits = any_waits || report->print != 0;
    print = fingerprint({print, report->print});
    messages += report->messages_in_flight;
    if (!text.empty() && !report->text.empty()) text += "; ";
    text += report->text;
  }
  const std::optional<Found> before = std::exchange(found_, std::nullopt);
  const bool again = before && before->print == print;
  const std::uint64_t since_ns = again ? before->since_ns : now_ns;
  const bool is_long = peer_timeout_ns_ != 0 && now_ns - since_ns > peer_timeout_ns_;
  const bool is_stuck = any_leaves && any_waits;
  if (is_stuck && again && (messages == 0 || is_long)) diagnosis_ = text;
  pause_ns_ = 0;
  put_off(now_ns);
  if (is_stuck) found_ = Found{print, since_ns};
}

}  // namespace gondwana::remote
