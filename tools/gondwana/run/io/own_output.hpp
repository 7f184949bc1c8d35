// Our own standard output and error, as the place where the lines of a job go.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/io/error_gatherer.hpp"
#include "run/io/output_sink.hpp"
#include "run/io/output_stream.hpp"
#include "run/io/poller.hpp"

namespace gondwana::launch {

// What stands before each line.
struct LineStyle {
  bool label = false;
  bool timestamps = false;
};

class OwnOutput : public OutputSink {
 public:
  // `poller` must outlive this.
  OwnOutput(Poller& poller, LineStyle style);

  void write(std::uint32_t rank, Standard which, std::string_view text) override;
  void say(std::string_view sentence) override;
  bool is_full(Standard which) const override { return stream(which).is_full(); }
  bool shows_prompts(Standard which) const override { return stream(which).is_terminal(); }
  bool flush() override;
  void release() override;
  std::optional<std::uint64_t> next_ns() const override { return errors_.due_ns(); }
  int failure() const override { return out_.failure(); }

 private:
  OutputStream& stream(Standard which) {
    return which == Standard::output || one_file_ ? out_ : err_;
  }
  const OutputStream& stream(Standard which) const {
    return which == Standard::output || one_file_ ? out_ : err_;
  }
  std::string prefix(std::uint32_t rank) const;
  // Whether the text is held, or has to come behind what is held.
  bool hold(std::uint32_t rank, std::string_view text);
  void defer(OutputStream::Writer writer, std::string_view text);
  void flush(OutputStream& stream, bool& watched);

  Poller* poller_;
  LineStyle style_;
  OutputStream out_;
  OutputStream err_;
  bool one_file_;  // 2>&1: one stream for both, or lines would tear each other
  ErrorGatherer errors_;
  // What has to come behind them on the standard error.
  std::vector<std::pair<OutputStream::Writer, std::string>> deferred_;
  std::size_t deferred_size_ = 0;
  bool out_watched_ = false;
  bool err_watched_ = false;
};

}  // namespace gondwana::launch
