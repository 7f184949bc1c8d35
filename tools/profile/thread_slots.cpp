#include "thread_slots.hpp"

#include <unistd.h>

#include <algorithm>
#include <new>

#include "pshmem.h"

namespace gondwana::profile {
namespace {

void add(const std::uint64_t* table, std::vector<std::uint64_t>& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    auto& word = const_cast<std::uint64_t&>(table[i]);  // atomic_ref of C++20 does not accept const
    sum[i] += std::atomic_ref<std::uint64_t>(word).load(std::memory_order_relaxed);
  }
}

}  // namespace

ThreadSlots::Header ThreadSlots::described_header() {
  Header header{};
  header.node_leader = pshmem_team_translate_pe(SHMEM_TEAM_SHARED, 0, SHMEM_TEAM_WORLD);
  ::gethostname(header.host.data(), header.host.size() - 1);
  return header;
}

bool ThreadSlots::allocate(std::size_t slots, std::size_t peers) {
  slots_ = slots;
  peers_ = peers;
  words_ = table_words(peers);
  if (!begin(pshmem_malloc(bytes()))) return false;
  pshmem_sync_all();  // other ranks may read the header after this
  return true;
}

bool ThreadSlots::allocate_private(std::size_t slots) {
  slots_ = slots;
  peers_ = 0;
  words_ = table_words(peers_);
  private_.reset(new (std::nothrow) char[bytes()]);
  return begin(private_.get());
}

bool ThreadSlots::begin(void* memory) {
  header_ = static_cast<Header*>(memory);
  if (header_ == nullptr) return false;
  *header_ = described_header();
  before_ = device_bytes_now();
  first_slot_ = reinterpret_cast<std::uint64_t*>(header_ + 1);
  return true;
}

void ThreadSlots::free() {
  if (!private_) pshmem_free(header_);
  const std::lock_guard lock(mutex_);
  header_ = nullptr;
  private_.reset();
  free_.clear();
  outside_.clear();
}

std::size_t ThreadSlots::bytes() const {
  return sizeof(Header) + slots_ * words_ * sizeof(std::uint64_t);
}

Counters ThreadSlots::lease() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    const Counters counters = free_.back();
    free_.pop_back();
    return counters;
  }
  if (header_->used == slots_)
    return {outside_.emplace_back(std::make_unique<std::uint64_t[]>(words_)).get(), peers_};
  std::uint64_t* words = slot(header_->used);
  std::fill_n(words, words_, 0);
  // Release: another rank that reads the number finds zeros, not older contents.
  std::atomic_ref(header_->used).fetch_add(1, std::memory_order_release);
  return {words, peers_};
}

void ThreadSlots::give_back(Counters counters) {
  const std::lock_guard lock(mutex_);
  free_.push_back(counters);
}

RankCounts ThreadSlots::own_counts() {
  RankCounts counts{.words = std::vector<std::uint64_t>(words_),
                    .devices = device_bytes_now().since(before_)};
  const std::lock_guard lock(mutex_);
  for (std::size_t number = 0; number < header_->used; ++number) add(slot(number), counts.words);
  for (const auto& table : outside_) add(table.get(), counts.words);
  return counts;
}

RankCounts ThreadSlots::counts_of(int pe) const {
  Header header{};
  pshmem_getmem(&header, header_, sizeof(header), pe);
  RankCounts counts{std::vector<std::uint64_t>(words_),
                    header.nanoseconds_per_tick,
                    header.seconds,
                    header.host.data(),
                    static_cast<int>(header.node_leader),
                    header.devices};
  std::vector<std::uint64_t> table(words_);
  for (std::size_t number = 0; number < header.used; ++number) {
    pshmem_getmem(table.data(), slot(number), words_ * sizeof(std::uint64_t), pe);
    add(table.data(), counts.words);
  }
  return counts;
}

void ThreadSlots::publish(double nanoseconds_per_tick, double seconds) {
  header_->devices = device_bytes_now().since(before_);
  header_->seconds = seconds;
  header_->nanoseconds_per_tick = nanoseconds_per_tick;
  const std::lock_guard lock(mutex_);
  for (const auto& table : outside_) {
    // The first thread always has a slot.
    for (std::size_t i = 0; i < words_; ++i) increase(slot(0)[i], table[i]);
  }
  outside_.clear();
  free_.clear();
}

bool ThreadSlots::claim_report() const {
  return pshmem_uint64_atomic_swap(&header_->claimed, 1, 0) == 0;
}

void ThreadSlots::note_leaving() const {
  pshmem_uint64_atomic_inc(&header_->leaving, 0);
}

std::uint64_t ThreadSlots::leaving() const {
  return pshmem_uint64_atomic_fetch(&header_->leaving, 0);
}

}  // namespace gondwana::profile
