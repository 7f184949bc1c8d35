// Round: the part of one member in one collective of a staged team. OneRound: a collective of small
// payloads. A member with data writes it to its scratch and publishes it; the others wait for that.
#pragma once

#include <concepts>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/collectives/staged/staged_team.hpp"

namespace gondwana::staged {

// Copyable.
class Round {
 public:
  explicit Round(StagedTeam& team) : team_(&team), turn_(team.take_turn()) {}

  StagedTeam& team() const { return *team_; }
  std::uint32_t size() const { return team_->size(); }
  std::uint32_t me() const { return team_->me(); }
  CollectiveSlot& slot(std::uint32_t member) const {
    return team_->scratch(member).slots[TeamScratch::slot(member, turn_)];
  }
  std::byte* payload(std::uint32_t member) const {
    return team_->scratch(member).payloads[TeamScratch::slot(member, turn_)].data();
  }
  std::byte* pushed(std::uint32_t member) const {
    return team_->scratch(member).pushed[turn_ % TeamScratch::pushed_depth].data();
  }

  bool may_begin(Turn depth = TeamScratch::depth) const { return team_->may_begin(turn_, depth); }
  void finish() const { team_->finish(turn_); }

  // Publishes what this member wrote in its scratch, for members that see the count. A remote
  // member sees only what `written_for` returns for it, by default the slot. Informs all members,
  // or only `member`.
  template <typename WrittenFor>
  void show(std::uint64_t count, std::optional<std::uint32_t> member,
            const WrittenFor& written_for) {
    CollectiveSlot& own = slot(me());
    own.shown.store(Mark::of(turn_, count), std::memory_order_release);  // pairs with shown()
    team_->tell_remote(member, written_for, &own.shown);
  }
  void show(std::uint64_t count) {
    show(count, {}, [this](std::uint32_t) { return of_slot(); });
  }
  StagedTeam::Written of_slot() const {
    return StagedTeam::Written::in_place(slot(me()).beside_marks());
  }
  std::uint64_t shown(std::uint32_t member) const {
    return Mark::count(slot(member).shown.load(std::memory_order_acquire), turn_);
  }
  // Informs all members, or only `member`.
  void take(std::uint64_t count, std::optional<std::uint32_t> member = {}) {
    CollectiveSlot& own = slot(me());
    own.taken.store(Mark::of(turn_, count), std::memory_order_release);  // pairs with taken()
    tell_word(*team_, member, &own.taken);
  }
  std::uint64_t taken(std::uint32_t member) const {
    return Mark::count(slot(member).taken.load(std::memory_order_acquire), turn_);
  }

  // Whether all members show `count`. Keeps its progress, so that a waiting member polls one word
  // instead of all. Used for one count at a time, until it returns true.
  bool all_show(std::uint64_t count) {
    while (from_ < size() && shown(from_) >= count) ++from_;
    if (from_ < size()) return false;
    from_ = 0;
    return true;
  }

  // For a count that every member waits for: the member that sees it complete wakes the others.
  bool every_member_shows(std::uint64_t count) {
    if (!all_show(count)) return false;
    team_->wake_others();
    return true;
  }

  // Called between show() and another poll if this member may not poll again. If the last two
  // members arrive at once, at least one of them sees the other and wakes the sleepers.
  static void settle() { std::atomic_thread_fence(std::memory_order_seq_cst); }

 private:
  StagedTeam* team_;
  Turn turn_;
  std::uint32_t from_ = 0;
};

// The source and the target of a payload: one member, or all.
struct Flow {
  std::optional<std::uint32_t> from = {};
  std::optional<std::uint32_t> to = {};

  bool starts_at(std::uint32_t member) const { return !from || member == *from; }
  bool ends_at(std::uint32_t member) const { return !to || member == *to; }
};

// The small payloads of one round. Those that fit are next to the marks, so one cache miss fetches
// both.
class Payloads {
 public:
  // `unit`: the size of an element of the payload in bytes.
  Payloads(const Round& round, std::size_t size, std::size_t unit = 1)
      : round_(round), beside_(size <= CollectiveSlot::payload_size && unit % cache_line != 0) {}

  // Aligned for elements of any type.
  std::byte* of(std::uint32_t member) const {
    return beside_ ? round_.slot(member).payload.data() : round_.payload(member);
  }
  // The bytes of the own payload that remote members need.
  StagedTeam::Written written(std::size_t size) const {
    return beside_ ? round_.of_slot() : StagedTeam::Written::in_place(Bytes(of(round_.me()), size));
  }

 private:
  const Round& round_;
  bool beside_;
};

// The content of a round: lay() writes the own payload, written() returns what a remote member
// needs of it, take() uses all payloads that this member receives. The location repeats after
// `depth` rounds.
template <typename C>
concept RoundContent = requires(C content, const Round& round, std::uint32_t member) {
  { C::depth } -> std::convertible_to<Turn>;
  { content.flow() } -> std::convertible_to<Flow>;
  { content.lay(round) };
  { content.written(round, member) } -> std::same_as<StagedTeam::Written>;
  { content.take(round) };
};

// A round without payloads.
struct EmptyRound {
  static constexpr Turn depth = TeamScratch::depth;

  Flow between = {};

  Flow flow() const { return between; }
  static void lay(const Round& /*round*/) {}
  static StagedTeam::Written written(const Round& /*round*/, std::uint32_t /*member*/) {
    return {};
  }
  static void take(const Round& /*round*/) {}
};

// A step: the caller repeats advance() until it returns true. Never waits, never calls settle().
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
  bool may_begin() const { return begun_ || round_.may_begin(Content::depth); }
  const Content& content() const { return content_; }

 private:
  bool begin() {
    if (!round_.may_begin(Content::depth)) {
      late_ = true;
      return false;
    }
    begun_ = true;
    const Flow flow = content_.flow();
    if (!flow.starts_at(round_.me())) return true;
    content_.lay(round_);
    round_.show(1, flow.to,
                [this](std::uint32_t member) { return content_.written(round_, member); });
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
    return flow.to ? round_.all_show(1) : round_.every_member_shows(1);
  }

  Round round_;
  Content content_;
  bool begun_ = false;
  bool done_ = false;
  bool late_ = false;  // waited for its slot
};

}  // namespace gondwana::staged
