// Collectives of small payloads: who has data lays it in its board and says so, who wants it waits
// for that, and that is all.
#pragma once

#include <concepts>
#include <cstring>
#include <optional>
#include <utility>

#include "front/gasnet/collectives_team.hpp"

namespace gondwana::gasnet {

// Those whom a payload comes from, or goes to.
enum class Side : std::uint8_t { all, root };

struct Flow {
  Side from = Side::all;
  Side to = Side::all;
  std::uint32_t root = 0;

  bool starts_at(std::uint32_t member) const { return from == Side::all || member == root; }
  bool ends_at(std::uint32_t member) const { return to == Side::all || member == root; }
  std::optional<std::uint32_t> only_taker() const {
    return to == Side::root ? std::optional(root) : std::nullopt;
  }
};

// The small payloads of one round: those that fit lie beside the words, one cache miss in all.
class Payloads {
 public:
  // Says that the own one is written.
  void lay(std::size_t size, const Flow& flow) const {
    if (!beside_) round_.lay(Bytes(of(round_.rank()), size), flow.only_taker());
  }

  // `unit`: the payload is an array of elements of that many bytes.
  Payloads(const Round& round, std::size_t size, std::size_t unit = 1)
      : round_(round), beside_(size <= CollectiveSlot::payload_size && unit % cache_line != 0) {}

  // Aligned for elements of any type.
  std::byte* of(std::uint32_t member) const {
    return beside_ ? round_.slot(member).payload.data() : round_.payload(member);
  }

 private:
  const Round& round_;
  bool beside_;
};

// What a round is about: lay() writes the own payload, take() uses all that flow here.
template <typename C>
concept RoundContent = requires(C content, const Round& round) {
  { content.flow() } -> std::convertible_to<Flow>;
  { content.lay(round) };
  { content.take(round) };
};

// A step: advance() until it returns true. Does not wait, and does not settle().
template <RoundContent Content>
class OneRound {
 public:
  OneRound(Team& team, CallName call, Content content)
      : round_(team, call), content_(std::move(content)) {}

  bool advance() {
    if (done_) return true;
    if (!begun_ && !begin()) return false;
    if (content_.flow().ends_at(round_.rank())) {
      if (!is_there()) return false;
      content_.take(round_);
    }
    round_.finish();
    return done_ = true;
  }
  bool may_begin() const { return begun_ || round_.may_begin(); }
  const Content& content() const { return content_; }

 private:
  bool begin() {
    if (!round_.may_begin()) {
      late_ = true;
      return false;
    }
    begun_ = true;
    const Flow flow = content_.flow();
    if (!flow.starts_at(round_.rank())) return true;
    content_.lay(round_);
    round_.show(1, flow.only_taker());
    if (late_) Round::settle();
    if (flow.from == Side::root)
      round_.team().wake_others();
    else if (flow.to == Side::root && flow.root != round_.rank())
      round_.team().wake(flow.root);
    return true;
  }

  bool is_there() {
    const Flow flow = content_.flow();
    if (flow.from == Side::root) return round_.shown(flow.root) >= 1;
    return flow.to == Side::root ? round_.all_show(1) : round_.everybody_shows(1);
  }

  Round round_;
  Content content_;
  bool begun_ = false;
  bool done_ = false;
  bool late_ = false;  // it had to wait for its slot
};

// A step that takes its time. It ends when the others learn of it without further calls of this
// member, which may make none for long.
template <typename Step>
class StepOperation : public Operation {
 public:
  explicit StepOperation(Door& door, Step step, bool is_over = false)
      : door_(door), step_(std::move(step)), is_over_(is_over) {}
  bool advance() override {
    is_over_ = is_over_ || step_.advance();
    return is_over_ && door_.engine().has_told();
  }

 private:
  Door& door_;
  Step step_;
  bool is_over_;
};

// Starts it: the event of its end, GEX_EVENT_INVALID where that has come already.
template <typename Step>
gex_Event_t begin(Door& door, Step step) {
  bool is_over = step.advance();
  if (!is_over) {
    Round::settle();
    is_over = step.advance();
  }
  if (is_over && door.engine().has_told()) return GEX_EVENT_INVALID;
  auto operation = std::make_shared<StepOperation<Step>>(door, std::move(step), is_over);
  door.start(operation);
  return new gondwana_gex_event{std::move(operation)};
}

}  // namespace gondwana::gasnet
