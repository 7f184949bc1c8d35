// Sends output of a remote launcher to the launcher, with no more in flight than it accepts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "run/io/output_sink.hpp"
#include "run/remote/frame_link.hpp"

namespace gondwana::launch {

class RemoteOutput : public OutputSink {
 public:
  // `link` must outlive this object. `prompts`: the launcher's output is a terminal.
  RemoteOutput(FrameLink& link, bool prompts) : link_(&link), prompts_(prompts) {}

  void write(std::uint32_t rank, Standard which, std::string_view text) override {
    in_flight_ += text.size();
    link_->send(Output{rank, which, std::string(text)});
  }
  void say(std::string_view sentence) override { link_->send(Said{std::string(sentence)}); }
  bool is_full(Standard /*which*/) const override { return in_flight_ >= window; }
  bool shows_prompts(Standard /*which*/) const override { return prompts_; }
  bool flush() override { return link_->has_sent_all(); }
  int failure() const override { return 0; }

  // The launcher has written this number of bytes.
  void on_taken(std::uint64_t bytes) { in_flight_ -= std::min(bytes, in_flight_); }

 private:
  static constexpr std::uint64_t window = std::uint64_t{1} << 20;

  FrameLink* link_;
  bool prompts_;
  std::uint64_t in_flight_ = 0;
};

}  // namespace gondwana::launch
