// One collective of a staged team, as a member takes part in it; and collectives of small payloads:
// who has data lays it in its scratch and says so, who wants it waits for that, and that is all.
#pragma once

#include <concepts>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/collectives/staged/staged_team.hpp"

namespace gondwana::staged {

// A value.
class Round {
 public:
  explicit Round(StagedTeam& team) : team_(&team), turn_(team.take_turn()) {}

  StagedTeam& team() const { return *team_; }
  std::uint32_t size() const { return team_->size(); }
  std::uint32_t me() const { return team_->me(); }
  CollectiveSlot& slot(std::uint32_t member) const { return team_->slot(member, turn_); }
  std::byte* payload(std::uint32_t member) const { return team_->payload(member, turn_); }

  bool may_begin() const { return team_->may_begin(turn_); }
  void finish() const { team_->finish(turn_); }

  // What this member wrote in its payload or area is on its way to remote members, before the count
  // that it shows next; only to `member`, if the round is about that one alone.
  void lay(Bytes written, std::optional<std::uint32_t> member = {}) const {
    team_->tell_remote(member, written, nullptr);
  }
  // What this member wrote before, and has laid, is visible to who sees the count.
  void show(std::uint64_t count, std::optional<std::uint32_t> member = {}) {
    CollectiveSlot& own = slot(me());
    own.shown.store(Mark::of(turn_, count), std::memory_order_release);  // with shown()
    team_->tell_remote(member, own.beside_marks(), &own.shown);
  }
  std::uint64_t shown(std::uint32_t member) const {
    return Mark::count(slot(member).shown.load(std::memory_order_acquire), turn_);
  }
  // Told to all, or to the only member that asks for it.
  void take(std::uint64_t count, std::optional<std::uint32_t> member = {}) {
    CollectiveSlot& own = slot(me());
    own.taken.store(Mark::of(turn_, count), std::memory_order_release);  // with taken()
    team_->tell_remote(member, {}, &own.taken);
  }
  std::uint64_t taken(std::uint32_t member) const {
    return Mark::count(slot(member).taken.load(std::memory_order_acquire), turn_);
  }

  // Whether all members show `count`. Remembers how far the last look came, so that who waits polls
  // one word and not all of them. For one count at a time, until it is there.
  bool all_show(std::uint64_t count) {
    while (from_ < size() && shown(from_) >= count) ++from_;
    if (from_ < size()) return false;
    from_ = 0;
    return true;
  }

  // The same for a count that everybody waits for: who sees it complete wakes the others.
  bool everybody_shows(std::uint64_t count) {
    if (!all_show(count)) return false;
    team_->wake_others();
    return true;
  }

  // Between show() and another look, for who may then go away: of two members that come last at
  // once, at least one sees the other, and wakes those who sleep. Who waits looks again anyway.
  static void settle() { std::atomic_thread_fence(std::memory_order_seq_cst); }

 private:
  StagedTeam* team_;
  Turn turn_;
  std::uint32_t from_ = 0;
};

// Whom a payload comes from, and where it goes: one member, or all.
struct Flow {
  std::optional<std::uint32_t> from = {};
  std::optional<std::uint32_t> to = {};

  bool starts_at(std::uint32_t member) const { return !from || member == *from; }
  bool ends_at(std::uint32_t member) const { return !to || member == *to; }
};

// The small payloads of one round: those that fit lie beside the words, one cache miss in all.
class Payloads {
 public:
  // Says that the own one is written.
  void lay(std::size_t size, const Flow& flow) const {
    if (!beside_) round_.lay(Bytes(of(round_.me()), size), flow.to);
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

// A round without payloads.
struct Meeting {
  Flow between = {};

  Flow flow() const { return between; }
  static void lay(const Round& /*round*/) {}
  static void take(const Round& /*round*/) {}
};

// A step: advance() until it returns true. Does not wait, and does not settle().
template <RoundContent Content>
class OneRound {
 public:
  OneRound(StagedTeam& team, Content content) : round_(team), content_(std::move(content)) {}

  bool advance() {
    if (done_) return true;
    if (!begun_ && !begin()) return false;
    if (content_.flow().ends_at(round_.me())) {
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
    if (!flow.starts_at(round_.me())) return true;
    content_.lay(round_);
    round_.show(1, flow.to);
    if (late_) Round::settle();
    if (flow.to) {
      if (*flow.to != round_.me()) round_.team().wake(*flow.to);
    } else if (flow.from) {
      round_.team().wake_others();
    }
    return true;
  }

  bool is_there() {
    const Flow flow = content_.flow();
    if (flow.from) return round_.shown(*flow.from) >= 1;
    return flow.to ? round_.all_show(1) : round_.everybody_shows(1);
  }

  Round round_;
  Content content_;
  bool begun_ = false;
  bool done_ = false;
  bool late_ = false;  // it had to wait for its slot
};

}  // namespace gondwana::staged
