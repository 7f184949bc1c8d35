// Our standard output and error as the destination of a job's output.
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

// The prefix of each line.
struct LineStyle {
  bool label = false;
  bool timestamps = false;
};

class OwnOutput : public OutputSink {
 public:
  // `poller` must outlive this object.
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
  // Whether the text is held, or must follow held text.
  bool hold(std::uint32_t rank, std::string_view text);
  void defer(OutputStream::Writer writer, std::string_view text);
  void flush(OutputStream& stream, bool& watched);

  Poller* poller_;
  LineStyle style_;
  OutputStream out_;
  OutputStream err_;
  bool one_file_;  // both are the same file (2>&1), so one stream writes both
  ErrorGatherer errors_;
  // Text that must follow the held lines on standard error.
  std::vector<std::pair<OutputStream::Writer, std::string>> deferred_;
  std::size_t deferred_size_ = 0;
  bool out_watched_ = false;
  bool err_watched_ = false;
};

}  // namespace gondwana::launch
