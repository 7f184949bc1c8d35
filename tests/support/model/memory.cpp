#include "support/model/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "core/assert.hpp"

namespace gondwana::model {
namespace {

constexpr std::uint8_t knows_write = 1;
constexpr std::uint8_t knows_all = 0xff;

constexpr std::uint8_t knows_reads_of(std::uint8_t thread) {
  return static_cast<std::uint8_t>(2U << thread);
}

void join(Front& front, const Front& other) {
  std::ranges::transform(front, other, front.begin(),
                         [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); });
}

bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}

bool releases(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_acquire;
}

template <typename T>
std::uint64_t mix(std::uint64_t hash, const T& value) {
  static_assert(std::has_unique_object_representations_v<T> && sizeof(T) % 4 == 0);
  std::array<std::uint32_t, sizeof(T) / 4> parts;
  std::memcpy(parts.data(), &value, sizeof(T));
  for (const std::uint32_t part : parts)
    hash = std::rotl((hash ^ part) * 0x9e3779b97f4a7c15ULL, 29);
  return hash;
}

}  // namespace

void View::join(const View& other) {
  model::join(words, other.words);
  std::ranges::transform(data, other.data, data.begin(), [](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(a | b);
  });
}

void Memory::reset(bool thread_fences) {
  *this = Memory{};
  thread_fences_ = thread_fences;
  stored_.fill(1);
  for (View& view : seen_) view.data.fill(knows_all);
}

std::uint8_t Memory::oldest(std::uint8_t thread, std::uint8_t word, Order order) const {
  const std::uint8_t own = seen_[thread].words[word];
  return is_seq_cst(order) ? std::max(own, common_[word]) : own;
}

bool Memory::may_follow(std::uint8_t word, std::uint8_t store) const {
  return store == newest(word) || stores_[word][store + 1U].follows_directly == 0;
}

std::uint32_t Memory::load(std::uint8_t thread, std::uint8_t word, std::uint8_t from, Order order) {
  const Store& store = stores_[word][from];
  View& view = seen_[thread];
  view.words[word] = std::max(view.words[word], from);
  if (acquires(order)) view.join(store.released);
  if (thread_fences_) carried_[thread].join(store.released);
  if (is_seq_cst(order)) common_[word] = std::max(common_[word], from);
  looks_[thread][word] = static_cast<std::uint8_t>(first_look + from);
  return store.value;
}

void Memory::store(std::uint8_t thread, std::uint8_t word, std::uint8_t after, std::uint32_t value,
                   Order order) {
  const auto at = static_cast<std::uint8_t>(after + 1);
  insert(thread, word, at, Store{value, {}, 0});
  stores_[word][at].released = releases(order) ? seen_[thread] : fenced_[thread];
  if (is_seq_cst(order)) common_[word] = at;
}

std::uint32_t Memory::replace(std::uint8_t thread, std::uint8_t word, std::uint8_t after,
                              std::uint32_t value, Order order) {
  const std::uint32_t old = load(thread, word, after, order);
  const auto at = static_cast<std::uint8_t>(after + 1);
  insert(thread, word, at, Store{value, stores_[word][after].released, 1});
  stores_[word][at].released.join(releases(order) ? seen_[thread] : fenced_[thread]);
  if (is_seq_cst(order)) common_[word] = at;
  return old;
}

// Inserts `store` into the modification order; only the storing thread has seen it.
void Memory::insert(std::uint8_t thread, std::uint8_t word, std::uint8_t at, const Store& store) {
  GONDWANA_ASSERT(!full(word), static_cast<int>(word));
  auto& history = stores_[word];
  std::move_backward(history.begin() + at, history.begin() + stored_[word],
                     history.begin() + stored_[word] + 1);
  ++stored_[word];
  history[at] = store;
  for_each_front([&](Front& front) {
    if (front[word] >= at) ++front[word];
  });
  for (Front& look : looks_)
    if (look[word] >= first_look + at) ++look[word];
  if (looks_[thread][word] != 0) looks_[thread][word] = static_cast<std::uint8_t>(first_look + at);
  seen_[thread].words[word] = at;
}

void Memory::release_fence(std::uint8_t thread) {
  GONDWANA_ASSERT(thread_fences_, static_cast<int>(thread));
  fenced_[thread] = seen_[thread];
}

void Memory::acquire_fence(std::uint8_t thread) {
  GONDWANA_ASSERT(thread_fences_, static_cast<int>(thread));
  seen_[thread].join(carried_[thread]);
}

void Memory::light_fence(std::uint8_t thread) {
  join(seen_[thread].words, owed_[thread]);
  before_light_[thread] = seen_[thread].words;
}

void Memory::heavy_fence(std::uint8_t thread) {
  join(common_, seen_[thread].words);
  for (const Front& front : before_light_) join(common_, front);
  join(seen_[thread].words, common_);
  owed_.fill(common_);
}

bool Memory::read(std::uint8_t thread, std::uint8_t data) {
  const std::uint8_t mine = seen_[thread].data[data];
  for_each_view(
      [&](View& view) { view.data[data] &= static_cast<std::uint8_t>(~knows_reads_of(thread)); });
  seen_[thread].data[data] = mine | knows_reads_of(thread);
  return (mine & knows_write) != 0;
}

bool Memory::write(std::uint8_t thread, std::uint8_t data, std::uint32_t value) {
  const bool ordered = seen_[thread].data[data] == knows_all;
  for_each_view([&](View& view) { view.data[data] = knows_all & ~knows_write; });
  seen_[thread].data[data] = knows_all;
  plain_[data] = value;
  return ordered;
}

bool Memory::has_news(std::uint8_t thread, std::uint8_t word) const {
  const std::uint8_t look = looks_[thread][word];
  return look != 0 && look < first_look + newest(word);
}

void Memory::accept_news(std::uint8_t thread, std::uint8_t word) {
  const std::uint8_t look = looks_[thread][word];
  const auto next = static_cast<std::uint8_t>(look < first_look ? 0 : look - first_look + 1);
  seen_[thread].words[word] = std::max(seen_[thread].words[word], next);
  forget_looks(thread);
}

void Memory::join_everything(std::uint8_t thread) {
  for (std::uint8_t word = 0; word < max_words; ++word) seen_[thread].words[word] = newest(word);
  seen_[thread].data.fill(knows_all);
}

void Memory::drop_unreadable(std::uint8_t alive) {
  for (std::uint8_t word = 0; word < max_words; ++word) {
    std::uint8_t drop = newest(word);
    for (std::uint8_t thread = 0; thread < max_threads; ++thread)
      if ((alive >> thread & 1) != 0) drop = std::min(drop, seen_[thread].words[word]);
    if (drop == 0) continue;
    auto& history = stores_[word];
    std::move(history.begin() + drop, history.begin() + stored_[word], history.begin());
    std::fill(history.begin() + stored_[word] - drop, history.begin() + stored_[word], Store{});
    stored_[word] = static_cast<std::uint8_t>(stored_[word] - drop);
    history[0].follows_directly = 0;
    for_each_front([&](Front& front) {
      front[word] = static_cast<std::uint8_t>(std::max(front[word], drop) - drop);
    });
    for (Front& look : looks_)
      if (look[word] >= first_look)
        look[word] = static_cast<std::uint8_t>(std::max(look[word] - drop, first_look - 1));
  }
}

template <typename Change>
void Memory::for_each_view(Change change) {
  for (View& view : seen_) change(view);
  for (View& view : fenced_) change(view);
  for (View& view : carried_) change(view);
  for (std::uint8_t word = 0; word < max_words; ++word)
    for (std::uint8_t i = 0; i < stored_[word]; ++i) change(stores_[word][i].released);
}

template <typename Change>
void Memory::for_each_front(Change change) {
  for_each_view([&](View& view) { change(view.words); });
  for (Front& front : before_light_) change(front);
  for (Front& front : owed_) change(front);
  change(common_);
}

std::uint64_t Memory::fingerprint() const {
  std::uint64_t hash = mix(mix(mix(mix(0, seen_), looks_), before_light_), owed_);
  hash = mix(mix(mix(hash, common_), stored_), plain_);
  if (thread_fences_) hash = mix(mix(hash, fenced_), carried_);
  for (std::uint8_t word = 0; word < max_words; ++word)
    for (std::uint8_t i = 0; i < stored_[word]; ++i) hash = mix(hash, stores_[word][i]);
  return hash;
}

}  // namespace gondwana::model
