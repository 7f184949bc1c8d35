// The batches of a rank to one node that are open or unanswered, in the order of their numbers,
// with the completions of their requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/assert.hpp"
#include "core/completion.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/control_page.hpp"
#include "operations/strided_run.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

// The destination of a result.
struct Destination {
  StridedRun pieces;     // memory of this rank
  bool is_word = false;  // a word of up to 8 bytes

  std::size_t result_size() const { return is_word ? sizeof(ResultWord) : pieces.bytes(); }
};

class SentBatches {
 public:
  struct Batch {
    std::uint64_t first = 0;  // its first request, numbered over all nodes
    std::size_t size = 0;     // in bytes
    std::size_t result_size = 0;
    std::vector<Completion*> done;  // begun once for several consecutive requests
    std::vector<Destination> results;
  };

  explicit SentBatches(Traffic& traffic) : traffic_(traffic) {}
  SentBatches(const SentBatches&) = delete;
  SentBatches& operator=(const SentBatches&) = delete;
  // Bytes that stay counted would make a rank wait for each of its batches.
  ~SentBatches() {
    GONDWANA_ASSERT(!batches_.empty() || (bytes_ == 0 && results_ == 0), bytes_, results_);
  }

  std::size_t count() const { return batches_.size(); }
  // The number of the next batch.
  std::uint32_t next_number() const {
    return answered_ + static_cast<std::uint32_t>(batches_.size()) + 1;
  }
  // The bytes of all batches but an open one.
  std::size_t bytes() const { return bytes_; }
  std::size_t bytes_of_results() const { return results_; }

  void open(std::uint64_t first_request);
  // The batch that was opened last.
  Batch& last() { return batches_.back(); }
  const Batch& last() const { return batches_.back(); }
  // Records that the last batch leaves with `size` bytes.
  void close(std::size_t size);
  // Handles an answer to all batches up to the number. Results have a separate answer, which a
  // provider may report late. False: the answer matches no batch that was sent.
  bool answer(std::uint32_t number, Bytes results);
  // Whether the agent has executed all requests up to the mark, which counts over all nodes.
  bool has_executed(std::uint64_t mark) const {
    return executed_ == batches_.size() || batches_[executed_].first > mark;
  }
  // Fails all batches, because they will never be answered. None is open.
  void lose(const Error& loss);

 private:
  void finish(Batch& batch, const Error* loss);
  static bool unpack_results(Batch& batch, Bytes results);

  Traffic& traffic_;
  std::uint32_t answered_ = 0;  // number of the last batch before batches_
  std::size_t executed_ = 0;    // executed entries of batches_; some wait for their results
  std::deque<Batch> batches_;
  std::size_t bytes_ = 0;
  std::size_t results_ = 0;
  std::vector<Batch> spare_;  // reused to keep their memory
};

}  // namespace gondwana::remote
