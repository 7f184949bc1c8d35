#include "run/io/line_forwarder.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

// Lines are fast if this many come in this time: a rank that writes each of them at once then needs
// a fiftieth of its time for it.
constexpr int many_lines = 64;
constexpr std::uint64_t counted_ns = 4'000'000;
constexpr std::uint64_t between_floods_ns = 100'000'000;

}  // namespace

LineForwarder::Outcome LineForwarder::take() {
  // Not on the stack, which may be small.
  const auto buffer = std::make_unique_for_overwrite<std::array<char, 65536>>();
  const ssize_t count = ::read(pipe_.get(), buffer->data(), buffer->size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Outcome::dry;
  if (count <= 0) return Outcome::closed;
  const std::string_view text(buffer->data(), static_cast<std::size_t>(count));
  const std::size_t last = text.rfind('\n');
  const std::size_t complete = last == std::string_view::npos ? 0 : last + 1;
  if (complete != 0 && !held_.empty()) {
    held_ += text.substr(0, complete);
    release();
  } else {
    pass_on(text.substr(0, complete));
  }
  held_ += text.substr(complete);
  held_since_ns_ = monotonic_ns();
  look_for_flood(text, held_since_ns_);
  if (held_.size() >= longest_line) release();
  return Outcome::more;
}

// Counts no further than it must: large pieces come from a rank that gathers its lines already.
void LineForwarder::look_for_flood(std::string_view text, std::uint64_t now_ns) {
  if (!on_flood_ || now_ns < flood_told_ns_ + between_floods_ns) return;
  if (now_ns > counts_since_ns_ + counted_ns) {
    counts_since_ns_ = now_ns;
    lines_ = 0;
  }
  for (std::size_t at = text.find('\n'); at != std::string_view::npos && lines_ < many_lines;
       at = text.find('\n', at + 1))
    ++lines_;
  if (lines_ < many_lines) return;
  lines_ = 0;
  flood_told_ns_ = now_ns;
  on_flood_();
}

void LineForwarder::release() {
  pass_on(held_);
  held_.clear();
  if (held_.capacity() > sizeof(std::array<char, 65536>)) held_.shrink_to_fit();
}

void LineForwarder::pass_on(std::string_view text) {
  if (!text.empty()) to_->write(rank_, which_, text);
}

}  // namespace gondwana::launch
