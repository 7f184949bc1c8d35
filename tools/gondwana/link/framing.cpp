#include "link/framing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/assert.hpp"

namespace gondwana::link {
namespace {

constexpr std::size_t header_size = 20;

// The header fields after the mark.
struct Header {
  std::uint16_t version = 0;
  std::uint16_t kind = 0;
  std::uint64_t tag = 0;
  std::uint32_t length = 0;
};

Header read_header(const MessageSet& set, std::string_view bytes) {
  Header header;
  ArchiveReader reader(bytes.substr(set.mark.size()));
  reader(header.version, header.kind, header.tag, header.length);
  return header;
}

// Quotes the start of bytes that are not a frame, usually output of a shell at login.
std::string quote_beginning(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, std::min<std::size_t>(bytes.find('\n'), 60));
  std::string text;
  for (const char letter : line) text += letter >= ' ' && letter <= '~' ? letter : '?';
  return text;
}

}  // namespace

Error malformed(const MessageSet& set, std::string_view what) {
  return {Errc::malformed, fmt::format("{} {}", set.name, what)};
}

std::string make_frame(const MessageSet& set, std::size_t kind, std::uint64_t tag,
                       const std::string& payload) {
  GONDWANA_ASSERT(payload.size() <= set.max_payload, payload.size());
  ArchiveWriter header;
  header(set.version, static_cast<std::uint16_t>(kind), tag,
         static_cast<std::uint32_t>(payload.size()));
  return std::string(set.mark) + header.take() + payload;
}

Result<std::optional<FrameCutter::Cut>> FrameCutter::next() {
  const std::string_view rest = std::string_view(held_).substr(taken_);
  if (const Result<void> sound = check_beginning(rest); !sound) return sound.error();
  if (missing() > 0) {
    held_.erase(0, taken_);
    taken_ = 0;
    return std::optional<Cut>{};
  }
  const Header header = read_header(*set_, rest);
  tag_ = header.tag;
  taken_ += header_size + header.length;
  return std::optional<Cut>(Cut{header.kind, rest.substr(header_size, header.length)});
}

// Checks as early as possible: foreign output may be shorter than a frame.
Result<void> FrameCutter::check_beginning(std::string_view bytes) const {
  if (!set_->former_mark.empty() && bytes.starts_with(set_->former_mark))
    return malformed(*set_, "is of an older build; all hosts need the same version of Gondwana");
  if (!bytes.starts_with(set_->mark.substr(0, bytes.size())))
    return malformed(
        *set_,
        fmt::format(
            "is not from Gondwana: \"{}\"; does a startup file of the shell there print something?",
            quote_beginning(bytes)));
  if (bytes.size() < header_size) return {};
  const Header header = read_header(*set_, bytes.substr(0, header_size));
  if (header.version != set_->version) {
    return malformed(*set_,
                     fmt::format("has version {}, this build uses {}; all hosts need the same "
                                 "version of Gondwana",
                                 header.version, set_->version));
  }
  if (tag_ != 0 && header.tag != tag_) return malformed(*set_, "belongs to another job");
  if (set_->has_tags && header.tag == 0) return malformed(*set_, "does not belong to a job");
  if (header.kind >= set_->kinds) return malformed(*set_, "has an unknown kind");
  if (header.length > set_->max_payload)
    return malformed(*set_, fmt::format("of {} bytes", header.length));
  return {};
}

std::size_t FrameCutter::missing() const {
  const std::string_view rest = std::string_view(held_).substr(taken_);
  if (rest.size() < header_size) return header_size - rest.size();
  const std::size_t size = header_size + read_header(*set_, rest.substr(0, header_size)).length;
  return size - std::min(size, rest.size());
}

}  // namespace gondwana::link
