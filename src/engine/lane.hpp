// An injection resource: what was posted through it and is not complete, and its first error.
//
// On-node operations touch a lane only to fail. A lane belongs to one thread at a time.
#pragma once

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/counters.hpp"
#include "core/result.hpp"
#include "transport/transport.hpp"

namespace gondwana {

class Lane {
 public:
  // Puts up to this size return before they are delivered: their bytes are bounced.
  static constexpr std::size_t bounce_limit = 8 * 1024;

  explicit Lane(CounterBlock& counters) : counters_(&counters) {}

  CounterBlock& counters() const { return *counters_; }
  Completion& pending() { return pending_; }

  // Latches `error` unless one is latched already; always false, to be returned.
  bool fail(Error error) {
    if (!error_) error_ = std::move(error);
    return false;
  }
  bool failed() const { return error_.has_value(); }
  std::optional<Error> take_error() { return std::exchange(error_, std::nullopt); }

  // A copy of `source` that lives until reset_bounce(); empty where there is no room left.
  Bytes bounce(Bytes source) {
    if (buffer_.empty()) buffer_.resize(buffer_size);
    if (source.size() > buffer_.size() - bounced_) return {};
    std::byte* copy = buffer_.data() + bounced_;
    std::memcpy(copy, source.data(), source.size());
    bounced_ += source.size();
    return {copy, source.size()};
  }
  void reset_bounce() {
    GONDWANA_ASSERT(pending_.done(), bounced_);
    bounced_ = 0;
  }

 private:
  static constexpr std::size_t buffer_size = 256 * 1024;

  CounterBlock* counters_;
  Completion pending_;
  std::optional<Error> error_;
  std::vector<std::byte> buffer_;  // never grows: bounced bytes must not move
  std::size_t bounced_ = 0;
};

}  // namespace gondwana
