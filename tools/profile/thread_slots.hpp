// The tables of a rank's threads. They lie in the symmetric heap, so that a rank that ends the job
// can report what the others have counted without their help.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "counters.hpp"
#include "device_bytes.hpp"

namespace gondwana::profile {

// What one rank has counted.
struct RankCounts {
  std::vector<std::uint64_t> words;  // a table
  double nanoseconds_per_tick = 0;   // 0: not known to the reader
  double seconds = 0;                // since shmem_init began; 0: as above
  std::string host{};
  int node_leader = 0;  // the first rank of those that share memory with this one
  DeviceBytes devices{};
  std::string paths{};  // members of an object in JSON; empty: not counted, or not known here
};

class ThreadSlots {
 public:
  // Collective. False where the symmetric heap has no room.
  bool allocate(std::size_t slots, std::size_t peers);
  // Collective; waits until all ranks call it.
  void free();
  std::size_t bytes() const;
  std::size_t peers() const { return peers_; }
  // Whether a rank may have several.
  bool of_threads() const { return slots_ > 1; }

  Counters lease();
  // For the next thread, which goes on counting.
  void give_back(Counters counters);

  RankCounts own_counts();
  // What is in the heap of any rank: all it has counted once it has published.
  RankCounts counts_of(int pe) const;
  // Puts into the heap what is not. Nobody counts meanwhile.
  void publish(double nanoseconds_per_tick, double seconds);

  // True for the first rank that asks.
  bool claim_report() const;
  // Says that this rank ends; then, how many ranks have said so.
  void note_leaving() const;
  std::uint64_t leaving() const;

 private:
  // At the start of the block, in every rank.
  struct Header {
    std::uint64_t used;  // slots that were ever leased
    std::uint64_t claimed;
    std::uint64_t leaving;  // ranks that end; in rank 0
    double nanoseconds_per_tick;
    double seconds;
    std::int64_t node_leader;
    std::array<char, 64> host;
    DeviceBytes devices;
  };

  static Header described_header();

  std::uint64_t* slot(std::size_t number) const { return first_slot_ + number * words_; }

  Header* header_ = nullptr;
  DeviceBytes before_{};  // that were moved before there was a table
  std::uint64_t* first_slot_ = nullptr;
  std::size_t slots_ = 0;
  std::size_t peers_ = 0;
  std::size_t words_ = 0;  // of a table

  std::mutex mutex_;                                       // guards what follows
  std::vector<Counters> free_;                             // of threads that have ended
  std::vector<std::unique_ptr<std::uint64_t[]>> outside_;  // of threads beyond the slots
};

}  // namespace gondwana::profile
