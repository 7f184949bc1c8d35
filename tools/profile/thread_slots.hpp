// The tables of a rank's threads. They are in the symmetric heap, so that a rank that ends the job
// can report the counts of the others without their help. A rank that reports only its own counts
// has them in private memory.
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

// The counts of one rank.
struct RankCounts {
  std::vector<std::uint64_t> words;  // one table
  double nanoseconds_per_tick = 0;   // 0: the reader does not know it
  double seconds = 0;                // since shmem_init began; 0: unknown
  std::string host{};
  int node_leader = 0;  // the first rank of the node
  DeviceBytes devices{};
  std::string details{};  // a JSON object; empty: not counted, or unknown here
};

class ThreadSlots {
 public:
  // Collective. Returns false if the symmetric heap has no space left.
  bool allocate(std::size_t slots, std::size_t peers);
  // Not collective. Returns false if there is no memory left.
  bool allocate_private(std::size_t slots);
  // Collective after allocate(); waits until all ranks have called it.
  void free();
  std::size_t bytes() const;
  std::size_t peers() const { return peers_; }
  // Whether a rank may have several tables.
  bool of_threads() const { return slots_ > 1; }

  Counters lease();
  // The next thread that leases continues with these counters.
  void give_back(Counters counters);

  RankCounts own_counts();
  // The counts in the heap of any rank. They are complete once that rank has published them.
  RankCounts counts_of(int pe) const;
  // Copies the remaining counts into the heap. No thread may count meanwhile.
  void publish(double nanoseconds_per_tick, double seconds);

  // Returns true for the first rank that asks.
  bool claim_report() const;
  // Records that this rank ends. leaving() returns how many ranks have done so.
  void note_leaving() const;
  std::uint64_t leaving() const;

 private:
  // Stored at the start of the block on every rank.
  struct Header {
    std::uint64_t used;  // slots leased so far, including returned ones
    std::uint64_t claimed;
    std::uint64_t leaving;  // number of ranks that end; used on rank 0
    double nanoseconds_per_tick;
    double seconds;
    std::int64_t node_leader;
    std::array<char, 64> host;
    DeviceBytes devices;
  };

  static Header described_header();
  bool begin(void* memory);

  std::uint64_t* slot(std::size_t number) const { return first_slot_ + number * words_; }

  Header* header_ = nullptr;
  std::unique_ptr<char[]> private_;  // the memory of header_, unless it is in the heap
  DeviceBytes before_{};             // bytes moved before there was a table
  std::uint64_t* first_slot_ = nullptr;
  std::size_t slots_ = 0;
  std::size_t peers_ = 0;
  std::size_t words_ = 0;  // words of one table

  std::mutex mutex_;                                       // guards the members below
  std::vector<Counters> free_;                             // tables of threads that have ended
  std::vector<std::unique_ptr<std::uint64_t[]>> outside_;  // tables of threads beyond the slots
};

}  // namespace gondwana::profile
