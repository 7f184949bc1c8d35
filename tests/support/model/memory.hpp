// The weak memory that the checker's threads share: a small C++20 memory model that can be copied,
// compared and hashed.
//
// A word remembers its stores in their modification order. A thread has a front: per word the
// oldest store it may still read. A load picks any store from there on; a store goes anywhere after
// it, so that two plain stores of a thread may become visible in either order. A release store
// carries the storing thread's view, an acquire load joins it to the reader's. Read-modify-writes
// read the store they directly follow and hand on what it carries (release sequences).
//
// seq_cst is that of C++20: a seq_cst access obeys, and moves, one common front, but only at its
// own word. So seq_cst store, seq_cst load forbids store buffering; seq_cst store, acquire load
// does not, as with STLR and LDAPR of ARMv8.3, though x86 would.
//
// heavy_fence() is a full fence of its caller and, as in the asymmetric fences of P1202, stands in
// one order with every light_fence(): what a thread did before a light fence is seen after a later
// heavy fence, and the other way round. It moves fronts only: nothing is published to plain data by
// it.
//
// Weaker than x86 and ARMv8 but for one thing: a load never reads a store that is executed after it
// (no load buffering), since threads run in program order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace gondwana::model {

inline constexpr std::uint8_t max_threads = 5;
inline constexpr std::uint8_t max_words = 16;
inline constexpr std::uint8_t max_data = 8;
inline constexpr std::uint8_t max_stores = 12;  // of one word that somebody may still read

using Front = std::array<std::uint8_t, max_words>;

// What a thread has seen, or a store lets others see.
struct View {
  Front words;
  // Per plain variable: bit 0, I know the last write; bit 1 + t, I know what thread t read since.
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
  // A read-modify-write; returns what it found.
  std::uint32_t replace(std::uint8_t thread, std::uint8_t word, std::uint8_t after,
                        std::uint32_t value, Order order);
  // What a thread did before a release fence, its stores after it carry; what the stores carried
  // that it loaded before an acquire fence, it has seen after it.
  void release_fence(std::uint8_t thread);
  void acquire_fence(std::uint8_t thread);
  void light_fence(std::uint8_t thread);
  void heavy_fence(std::uint8_t thread);

  // Plain data. False: a race.
  bool read(std::uint8_t thread, std::uint8_t data);
  bool write(std::uint8_t thread, std::uint8_t data, std::uint32_t value);
  std::uint32_t plain(std::uint8_t data) const { return plain_[data]; }

  // A thread that looks again must at last see something new. The words it looked at since it last
  // waited, and whether one of them holds a store younger than that look.
  bool has_news(std::uint8_t thread, std::uint8_t word) const;
  void accept_news(std::uint8_t thread, std::uint8_t word);
  void forget_looks(std::uint8_t thread) { looks_[thread] = {}; }

  // Sees all that any thread did.
  void join_everything(std::uint8_t thread);
  // Drops stores that none of these threads can read any more, so that equal states look equal.
  void drop_unreadable(std::uint8_t alive);
  // Nobody can have seen anything: every word 0, all plain data known to all.
  void reset(bool thread_fences);

  std::uint64_t fingerprint() const;

 private:
  // A look is 0: none; 1: at a store dropped since; 2 + i: at store i.
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
