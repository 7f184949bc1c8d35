#include "remote/client/sent_batches.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace gondwana::remote {

void SentBatches::open(std::uint64_t first_request) {
  if (spare_.empty()) spare_.emplace_back();
  batches_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  batches_.back().first = first_request;
  batches_.back().result_size = 0;
  add(traffic_.pending, 1);
}

void SentBatches::close(std::size_t size) {
  batches_.back().size = size;
  bytes_ += size;
  results_ += batches_.back().result_size;
}

bool SentBatches::answer(std::uint32_t number, Bytes results) {
  const std::uint32_t count = number - answered_;
  if (count == 0 || count > batches_.size()) return false;
  if (!results.empty() && !unpack_results(batches_[count - 1], results)) return false;
  executed_ = std::max<std::size_t>(executed_, count);
  while (executed_ > 0 && batches_.front().results.empty()) {
    finish(batches_.front(), nullptr);
    batches_.pop_front();
    --executed_;
    ++answered_;
  }
  return true;
}

bool SentBatches::unpack_results(Batch& batch, Bytes results) {
  if (results.size() != batch.result_size) return false;
  const std::byte* from = results.data();
  for (const Destination& each : batch.results) {
    if (!each.is_word)
      unpack(std::span(&each.pieces, 1), from);
    else if (each.pieces.here != nullptr)
      std::memcpy(each.pieces.here, from, each.pieces.size);
    from += each.result_size();
  }
  batch.results.clear();
  return true;
}

void SentBatches::finish(Batch& batch, const Error* loss) {
  for (Completion* done : batch.done) {
    if (loss != nullptr)
      done->fail(*loss);
    else
      done->finish();
  }
  add(traffic_.pending, ~std::uint64_t{0});
  bytes_ -= batch.size;
  results_ -= batch.result_size;
  batch.done.clear();
  batch.results.clear();
  batch.size = 0;
  spare_.push_back(std::move(batch));
}

void SentBatches::lose(const Error& loss) {
  for (Batch& batch : batches_) finish(batch, &loss);
  answered_ += static_cast<std::uint32_t>(batches_.size());
  batches_.clear();
  executed_ = 0;
}

}  // namespace gondwana::remote
