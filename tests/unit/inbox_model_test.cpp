// The inbox under the model checker: it loses no message, handles none twice, neither leaks nor
// reuses a slot in use, leaves no thread asleep forever, and tolerates abandoned reservations.
#include <fmt/format.h>

#include "support/model/assertions.hpp"
#include "sync/inbox_consumer.hpp"

namespace gondwana {
namespace {

using model::Atomics;
using model::Data;
using model::fails;
using model::holds;
using model::Limits;
using model::Outcome;
using model::Scenario;

constexpr Timeout for_ever = std::nullopt;
constexpr InboxPolling no_search{.polls_per_search = 1'000};
constexpr std::uint32_t most_senders = 2;

// Words with one faulty kind of operation each.
struct RelaxedStores : model::Word {
  void store(std::uint32_t value, std::memory_order) {
    Word::store(value, std::memory_order_relaxed);
  }
};

struct RelaxedLoads : model::Word {
  std::uint32_t load(std::memory_order) const { return Word::load(std::memory_order_relaxed); }
};

struct RelaxedAdds : model::Word {
  std::uint32_t fetch_add(std::uint32_t value, std::memory_order) {
    return Word::fetch_add(value, std::memory_order_relaxed);
  }
};

struct RelaxedExchanges : model::Word {
  bool compare_exchange_strong(std::uint32_t& expected, std::uint32_t value, std::memory_order,
                               std::memory_order failure) {
    return Word::compare_exchange_strong(expected, value, std::memory_order_relaxed, failure);
  }
};

// Reads, then stores: not one atomic step.
struct TornExchanges : model::Word {
  bool compare_exchange_strong(std::uint32_t& expected, std::uint32_t value,
                               std::memory_order order, std::memory_order) {
    const std::uint32_t seen = load(order);
    const bool exchanged = seen == expected;
    if (exchanged) store(value, std::memory_order_release);
    expected = seen;
    return exchanged;
  }
};

template <typename W>
struct Broken : Atomics {
  using Word = W;
  static void futex_wait(Word& word, std::uint32_t value, Timeout timeout) {
    Atomics::futex_wait(word, value, timeout);
  }
  static void futex_wake_all(Word& word) { Atomics::futex_wake_all(word); }
};

template <typename A, std::uint32_t Slots>
struct Shared {
  InboxLock<A> lock;
  Doorbell<A> bell;
  Doorbell<A> sender_bell;  // of all senders
  std::array<typename A::Word, most_senders> news;
  std::array<typename A::Word, most_senders> claimed;
  std::array<InboxChannel<A, Data, Slots>, most_senders> channels;
};

template <typename A, std::uint32_t Slots>
struct ModelLane {
  static constexpr std::uint32_t max_watched = most_senders;

  Shared<A, Slots>* shared;
  std::uint32_t count;

  std::uint32_t senders() const { return count; }
  std::uint32_t blocks() const { return 1; }
  InboxChannel<A, Data, Slots>& channel(std::uint32_t i) const { return shared->channels[i]; }
  typename A::Word& news(std::uint32_t i) const { return shared->news[i]; }
  typename A::Word& claimed(std::uint32_t i) const { return shared->claimed[i]; }
  InboxLock<A>& lock() const { return shared->lock; }
  Doorbell<A>& bell() const { return shared->bell; }
  Doorbell<A>& sender_bell(std::uint32_t) const { return shared->sender_bell; }
};

template <typename A, std::uint32_t Slots>
using Sender = InboxSender<A, ModelLane<A, Slots>>;
template <typename A, std::uint32_t Slots>
using Consumer = InboxConsumer<A, ModelLane<A, Slots>>;

// Sides that lack one step each.
template <typename A, std::uint32_t Slots>
struct SilentSender : Sender<A, Slots> {
  SilentSender(const ModelLane<A, Slots>& lane, std::uint32_t me)
      : Sender<A, Slots>(lane, me), at(lane) {}
  void publish(Reservation r) {
    at.channel(0).slots[r.slot].stamp.store(1, std::memory_order_release);
    at.news(0).store(1, std::memory_order_release);
  }
  ModelLane<A, Slots> at;
};

// Sleeps on the first slot only.
template <typename A, std::uint32_t Slots>
struct ShortSighted : Consumer<A, Slots> {
  ShortSighted(ModelLane<A, Slots> lane, InboxPolling wait_policy)
      : Consumer<A, Slots>(lane, wait_policy), at(lane) {}
  template <typename Done>
  bool sleep_until(Done done, Timeout timeout) {
    this->settle();
    const auto ready = [&] {
      return at.channel(0).slots[0].stamp.load(std::memory_order_acquire) !=
             (at.claimed(0).load(std::memory_order_relaxed) & 1);
    };
    return at.bell().sleep_until([&] { return done() || ready(); }, timeout);
  }
  ModelLane<A, Slots> at;
};

// Sleeps on messages that it has handled but not returned.
template <typename A, std::uint32_t Slots>
struct Unsettled : Consumer<A, Slots> {
  Unsettled(ModelLane<A, Slots> lane, InboxPolling wait_policy)
      : Consumer<A, Slots>(lane, wait_policy), at(lane) {}
  template <typename Done>
  bool sleep_until(Done done, Timeout timeout) {
    return at.bell().sleep_until([&] { return done() || this->has_message(); }, timeout);
  }
  ModelLane<A, Slots> at;
};

template <typename A = Atomics, std::uint32_t Slots = 2,
          template <typename, std::uint32_t> class S = Sender,
          template <typename, std::uint32_t> class C = Consumer>
struct Post {
  Scenario scenario;
  Shared<A, Slots> shared;
  Data block;  // of the first sender
  std::uint32_t senders;
  typename A::Word handled;

  explicit Post(std::uint32_t sender_count = 1) : senders(sender_count) {
    name_bell(shared.bell, "bell");
    name_bell(shared.sender_bell, "sender");
    scenario.name(shared.lock.held, "lock");
    scenario.name(handled, "handled");
    scenario.name(block, "block");
    for (std::uint32_t i = 0; i < senders; ++i) {
      scenario.name(shared.news[i], fmt::format("{}.news", i));
      scenario.name(shared.claimed[i], fmt::format("{}.claimed", i));
      scenario.name(shared.channels[i].slot_credit.word, fmt::format("{}.slot_credit", i));
      scenario.name(shared.channels[i].block_credit.word, fmt::format("{}.block_credit", i));
      for (std::uint32_t s = 0; s < Slots; ++s) {
        scenario.name(shared.channels[i].slots[s].stamp, fmt::format("{}.stamp[{}]", i, s));
        scenario.name(shared.channels[i].slots[s].message, fmt::format("{}.message[{}]", i, s));
      }
    }
  }

  void name_bell(Doorbell<A>& bell, const std::string& owner) {
    scenario.name(bell.asleep, owner + ".asleep");
    scenario.name(bell.rings, owner + ".rings");
  }

  ModelLane<A, Slots> lane() { return {&shared, senders}; }
  S<A, Slots> sender(std::uint32_t i) { return S<A, Slots>(lanes[i] = lane(), i); }
  std::array<ModelLane<A, Slots>, most_senders> lanes{};

  // Sleeps until there is space, as the engine does.
  Reservation reserve(std::uint32_t i, Payload payload) {
    S<A, Slots> side = sender(i);
    for (;;) {
      if (const auto at = side.reserve(payload)) return *at;
      shared.sender_bell.sleep_until([&] { return side.has_room(payload); }, for_ever);
    }
  }

  void send(std::uint32_t i, std::uint32_t value, Payload payload = Payload::none) {
    S<A, Slots> side = sender(i);
    const Reservation at = reserve(i, payload);
    side.message(at).write(value);
    if (payload == Payload::block) block.write(value);
    side.publish(at);
  }

  // One phase per message: the sender's next step does not depend on the slot of the last message.
  void sends(std::uint32_t i, const std::vector<std::uint32_t>& values,
             Payload payload = Payload::none) {
    std::vector<model::Phase> phases;
    phases.reserve(values.size());
    for (const std::uint32_t value : values)
      phases.emplace_back([this, i, value, payload] { send(i, value, payload); });
    scenario.phases(fmt::format("sender {}", i), std::move(phases));
  }

  // Sleeps and handles messages until the values handled by all threads add up to `sum`.
  void receives(const char* name, std::uint32_t sum) {
    scenario.thread(name, [this, sum] {
      C<A, Slots> consumer(lane(), {.polls_per_search = 1});
      const auto done = [&] { return handled.load(std::memory_order_relaxed) == sum; };
      while (!done()) {
        consumer.sleep_until(done, for_ever);
        if (consumer.poll(handler(), 8) == 0 && !done()) model::wait_for_change();
      }
      consumer.settle();
    });
  }

  // The same without ever sleeping.
  void polls(std::uint32_t sum, InboxPolling wait_policy) {
    scenario.thread("poller", [this, sum, wait_policy] {
      C<A, Slots> consumer(lane(), wait_policy);
      while (handled.load(std::memory_order_relaxed) != sum)
        if (consumer.poll(handler(), 8) == 0) model::wait_for_change();
      consumer.settle();
    });
  }

  auto handler() {
    return [this](std::uint32_t, Data& message, std::uint32_t its_block) {
      const std::uint32_t value = message.read();
      if (its_block != Reservation::no_block)
        model::expect(block.read() == value, "the block belongs to the message");
      const std::uint32_t before = handled.fetch_add(value, std::memory_order_relaxed);
      model::expect((before & value) == 0, "no message twice");  // values are powers of two
    };
  }

  // Finally each value was handled once, and `left` Slots are in use.
  Outcome explore(std::uint32_t sum, std::uint32_t left, const Limits& limits) {
    scenario.finally([this, sum, left] {
      model::expect(handled.load(std::memory_order_relaxed) == sum, "no message is lost");
      std::uint32_t in_use = 0;
      for (std::uint32_t i = 0; i < senders; ++i)
        in_use +=
            static_cast<std::uint32_t>(std::popcount(shared.channels[i].slot_credit.in_use()));
      model::expect(in_use == left, "no slot leaks");
    });
    return scenario.explore(limits);
  }
};

using Usual = Post<>;
using OneSlot = Post<Atomics, 1>;
using ThreeSlots = Post<Atomics, 3>;

template <typename P>
Outcome one_message(const Limits& limits = {}) {
  P post;
  post.sends(0, {1});
  post.receives("consumer", 1);
  return post.explore(1, 0, limits);
}

template <typename P>
Outcome messages_in_turn(const Limits& limits = {}) {
  P post;
  post.sends(0, {1, 2});
  post.receives("consumer", 3);
  return post.explore(3, 0, limits);
}

template <typename P>
Outcome payloads_in_turn(const Limits& limits = {}) {
  P post;
  post.sends(0, {1, 2}, Payload::block);
  post.receives("consumer", 3);
  return post.explore(3, 0, limits);
}

template <typename P>
Outcome two_senders(const Limits& limits = {}) {
  P post(2);
  post.sends(0, {1});
  post.sends(1, {2});
  post.receives("consumer", 3);
  return post.explore(3, 0, limits);
}

template <typename P>
Outcome two_threads_of_a_sender(const Limits& limits = {}) {
  P post;
  post.sends(0, {1});
  post.sends(0, {2});
  post.receives("consumer", 3);
  return post.explore(3, 0, limits);
}

template <typename P>
Outcome two_consumers(const Limits& limits = {}) {
  P post;
  post.sends(0, {1, 2});
  post.receives("one", 3);
  post.receives("two", 3);
  return post.explore(3, 0, limits);
}

// Threads of the sender reserve all slots but one and stop forever: before, between or after the
// messages of another thread.
template <typename P>
Outcome abandoned(std::uint32_t taken, const Limits& limits = {}) {
  P post;
  post.scenario.phases(
      "killed", std::vector<model::Phase>(taken, [&post] { post.reserve(0, Payload::none); }));
  post.sends(0, {1, 2});
  post.receives("consumer", 3);
  return post.explore(3, taken, limits);
}

// The receiver never sleeps, so no fence helps: two threads of a sender overwrite their news.
template <typename P>
Outcome polled(InboxPolling wait_policy, const Limits& limits = {}) {
  P post;
  post.sends(0, {1});
  post.sends(0, {2});
  post.polls(3, wait_policy);
  return post.explore(3, 0, limits);
}

template <typename P>
Outcome cancelled(const Limits& limits = {}) {
  P post;
  post.scenario.thread("canceller", [&post] {
    const Reservation at = post.reserve(0, Payload::block);
    post.sender(0).message(at).write(9);
    post.block.write(9);
    post.sender(0).cancel(at);
  });
  post.sends(0, {1}, Payload::block);
  post.receives("consumer", 1);
  return post.explore(1, 0, limits);
}

// The first sender as a thread with a credit cache. At the end it gives back the rest of the cache.
template <typename P>
struct CacheHolder {
  explicit CacheHolder(P& its_post) : post(its_post) {}
  CacheHolder(const CacheHolder&) = delete;
  CacheHolder& operator=(const CacheHolder&) = delete;

  void send(std::uint32_t value) {
    for (;;) {
      if (const auto at = side.reserve(Payload::none)) {
        side.message(*at).write(value);
        return side.publish(*at);
      }
      model::wait_for_change();
    }
  }

  void end() { lane.channel(0).slot_credit.give_back(credit_cache.slots); }

  P& post;
  decltype(post.lane()) lane = post.lane();
  CreditCache credit_cache = CreditCache::of(0, lane.channel(0).slot_count);
  InboxSender<Atomics, decltype(post.lane())> side{lane, 0, &credit_cache};
};

// Polls find their messages without a search.
template <typename P>
Outcome by_credit_cache(const Limits& limits = {}) {
  P post;
  post.scenario.thread("sender", [&post] {
    CacheHolder sender(post);
    for (const std::uint32_t value : {1, 2, 4}) sender.send(value);
    sender.end();
  });
  post.polls(7, no_search);
  return post.explore(7, 0, limits);
}

// The same, but a message overtakes a reservation that is then cancelled: the sender must announce
// where the next messages are. `silent`: it does not.
Outcome by_credit_cache_out_of_order(bool silent, const Limits& limits = {}) {
  ThreeSlots post;
  post.scenario.thread("sender", [&post, silent] {
    CacheHolder sender(post);
    const Reservation open = *sender.side.reserve(Payload::none);
    if (silent) sender.credit_cache.expected = 1;
    sender.send(1);
    sender.side.cancel(open);
    if (silent) sender.credit_cache.in_order = true;
    sender.send(2);
    sender.end();
  });
  post.polls(3, no_search);
  return post.explore(3, 0, limits);
}

constexpr Limits bounds{.preemptions = 2, .behind = 1};

template <typename W>
using With = Post<Broken<W>>;
template <typename W>
using OneSlotWith = Post<Broken<W>, 1>;

TEST(inbox_model, messages_arrive_once_in_every_interleaving) {
  EXPECT_TRUE(holds(one_message<Usual>({.early_wakes = 1})));
  EXPECT_TRUE(holds(messages_in_turn<Usual>()));
}

TEST(inbox_model, sender_without_room_is_woken) {
  EXPECT_TRUE(holds(messages_in_turn<OneSlot>(bounds)));
}

TEST(inbox_model, blocks_go_back_and_are_filled_again) {
  EXPECT_TRUE(holds(payloads_in_turn<Usual>(bounds)));
}

TEST(inbox_model, senders_and_threads_of_one_do_not_disturb_each_other) {
  EXPECT_TRUE(holds(two_senders<OneSlot>(bounds)));
  EXPECT_TRUE(holds(two_threads_of_a_sender<Usual>(bounds)));
}

TEST(inbox_model, abandoned_reservations_block_nobody) {
  EXPECT_TRUE(holds(abandoned<Usual>(1, bounds)));
  EXPECT_TRUE(holds(abandoned<ThreeSlots>(2, {.preemptions = 1, .behind = 1})));
}

TEST(inbox_model, cancelled_reservation_can_be_had_again) {
  EXPECT_TRUE(holds(cancelled<OneSlot>(bounds)));
}

TEST(inbox_model, consumers_share_a_lane) {
  EXPECT_TRUE(holds(two_consumers<Usual>({.preemptions = 1, .behind = 2})));
}

TEST(inbox_model, poller_that_never_sleeps_finds_all) {
  EXPECT_TRUE(holds(polled<ThreeSlots>({.polls_per_search = 1}, bounds)));
}

TEST(inbox_model, poll_overlooks_no_message_of_a_credit_cache) {
  EXPECT_TRUE(holds(by_credit_cache<Usual>(bounds)));
  EXPECT_TRUE(holds(by_credit_cache_out_of_order(false, bounds)));
  EXPECT_TRUE(fails(by_credit_cache_out_of_order(true, bounds), "deadlock"));
}

TEST(inbox_model, refused_heavy_fence_costs_time_but_no_message) {
  Limits refused = bounds;
  refused.heavy_fence_refused = true;
  EXPECT_TRUE(holds(messages_in_turn<Usual>(refused)));
  EXPECT_TRUE(holds(messages_in_turn<OneSlot>(refused)));
}

TEST(inbox_model, weakened_orders_are_found) {
  const std::string race = "data race";
  EXPECT_TRUE(fails(one_message<With<RelaxedStores>>(bounds), race));
  EXPECT_TRUE(fails(one_message<With<RelaxedLoads>>(bounds), race));
  EXPECT_TRUE(fails(messages_in_turn<OneSlotWith<RelaxedAdds>>(bounds), race));
  EXPECT_TRUE(fails(payloads_in_turn<With<RelaxedAdds>>(bounds), race));
  EXPECT_TRUE(fails(messages_in_turn<OneSlotWith<RelaxedExchanges>>(bounds), race));
  EXPECT_TRUE(fails(payloads_in_turn<With<RelaxedExchanges>>(bounds), race));
  EXPECT_FALSE(two_consumers<With<RelaxedExchanges>>(bounds).holds());
}

TEST(inbox_model, exchanges_in_two_steps_are_found) {
  EXPECT_FALSE(two_threads_of_a_sender<With<TornExchanges>>(bounds).holds());
  EXPECT_TRUE(fails(two_consumers<With<TornExchanges>>(bounds), "no message twice"));
}

TEST(inbox_model, steps_left_out_are_found) {
  const std::string asleep = "deadlock";
  EXPECT_TRUE(fails(one_message<Post<Atomics, 2, SilentSender>>(bounds), asleep));
  EXPECT_TRUE(fails(messages_in_turn<Post<Atomics, 2, Sender, ShortSighted>>(bounds), asleep));
  EXPECT_TRUE(fails(abandoned<Post<Atomics, 3, Sender, Unsettled>>(2, bounds), asleep));
}

TEST(inbox_model, news_alone_may_miss_a_message) {
  EXPECT_TRUE(fails(polled<ThreeSlots>(no_search, bounds), "deadlock"));
}

}  // namespace
}  // namespace gondwana
