// The weak memory that the checker's threads share: a small C++20 memory model that can be copied,
// compared and hashed.
//
// A word keeps its stores in modification order. A thread has a front: per word the oldest store it
// may still read. A load picks any store from there on; a store goes anywhere after it, so two
// plain stores of a thread may become visible in either order. A release store carries the view of
// its thread; an acquire load joins it to the view of the reader. A read-modify-write reads the
// store that it directly follows and passes on what that store carries (release sequences).
//
// seq_cst follows C++20: a seq_cst access obeys, and moves, one common front, but only at its own
// word. So seq_cst store, seq_cst load forbids store buffering; seq_cst store, acquire load does
// not, as with STLR and LDAPR of ARMv8.3, though x86 would.
//
// heavy_fence() is a full fence of its caller. As in the asymmetric fences of P1202, it is in one
// order with every light_fence(): a later heavy fence sees what a thread did before a light fence,
// and the other way round. It moves fronts only: it publishes nothing to plain data.
//
// The model is weaker than x86 and ARMv8 with one exception: a load never reads a store that
// executes after it (no load buffering), since threads run in program order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace gondwana::model {

inline constexpr std::uint8_t max_threads = 5;
inline constexpr std::uint8_t max_words = 16;
inline constexpr std::uint8_t max_data = 8;
inline constexpr std::uint8_t max_stores = 12;  // of one word that a thread may still read

using Front = std::array<std::uint8_t, max_words>;

// What a thread has seen, or what a store makes visible to others.
struct View {
  Front words;
  // Per plain variable: bit 0, the last write is known; bit 1 + t, the reads of thread t since.
  std::array<std::uint8_t, max_data> data;

  void join(const View& other);
};

struct Store {
  std::uint32_t value;
  View released;
  std::uint32_t follows_directly;  // 1, a read-modify-write: nothing comes between it and its past
};

class Memory {
 public:
  using Order = std::memory_order;

  std::uint8_t newest(std::uint8_t word) const {
    return static_cast<std::uint8_t>(stored_[word] - 1);
  }
  std::uint32_t value(std::uint8_t word, std::uint8_t store) const {
    return stores_[word][store].value;
  }
  // The oldest store that an access of this thread may read or directly follow.
  std::uint8_t oldest(std::uint8_t thread, std::uint8_t word, Order order) const;
  bool may_follow(std::uint8_t word, std::uint8_t store) const;
  // The history of a word is full: the scenario is too large for max_stores.
  bool full(std::uint8_t word) const { return stored_[word] == max_stores; }

  std::uint32_t load(std::uint8_t thread, std::uint8_t word, std::uint8_t from, Order order);
  void store(std::uint8_t thread, std::uint8_t word, std::uint8_t after, std::uint32_t value,
             Order order);
  // A read-modify-write; returns the old value.
  std::uint32_t replace(std::uint8_t thread, std::uint8_t word, std::uint8_t after,
                        std::uint32_t value, Order order);
  // Stores after a release fence carry what the thread did before it. After an acquire fence the
  // thread has seen what its earlier loads read from carried.
  void release_fence(std::uint8_t thread);
  void acquire_fence(std::uint8_t thread);
  void light_fence(std::uint8_t thread);
  void heavy_fence(std::uint8_t thread);

  // Plain data. False: a race.
  bool read(std::uint8_t thread, std::uint8_t data);
  bool write(std::uint8_t thread, std::uint8_t data, std::uint32_t value);
  std::uint32_t plain(std::uint8_t data) const { return plain_[data]; }

  // A thread that polls again must eventually see something new: the words it has read since it
  // last waited, and whether one of them has a younger store.
  bool has_news(std::uint8_t thread, std::uint8_t word) const;
  void accept_news(std::uint8_t thread, std::uint8_t word);
  void forget_looks(std::uint8_t thread) { looks_[thread] = {}; }

  // Sees everything that any thread did.
  void join_everything(std::uint8_t thread);
  // Drops stores that none of these threads can read any more, so that equal states compare equal.
  void drop_unreadable(std::uint8_t alive);
  // No thread has seen anything: every word is 0, all plain data are known to all.
  void reset(bool thread_fences);

  std::uint64_t fingerprint() const;

 private:
  // The value of a look is 0: none; 1: at a store dropped since; 2 + i: at store i.
  static constexpr std::uint8_t first_look = 2;

  bool is_seq_cst(Order order) const { return order == std::memory_order_seq_cst; }
  void insert(std::uint8_t thread, std::uint8_t word, std::uint8_t at, const Store& store);
  template <typename Change>
  void for_each_front(Change change);
  template <typename Change>
  void for_each_view(Change change);

  std::array<View, max_threads> seen_;
  bool thread_fences_;
  std::array<View, max_threads> fenced_;   // what it saw at its last release fence
  std::array<View, max_threads> carried_;  // what its next acquire fence makes it see
  std::array<Front, max_threads> looks_;
  std::array<Front, max_threads> before_light_;  // what a thread saw at its last light fence
  std::array<Front, max_threads> owed_;          // what its next light fence makes it see
  Front common_;                                 // of seq_cst accesses and heavy fences
  std::array<std::uint8_t, max_words> stored_;
  std::array<std::uint32_t, max_data> plain_;
  std::array<std::array<Store, max_stores>, max_words> stores_;
};

}  // namespace gondwana::model
