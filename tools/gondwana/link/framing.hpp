// Messages as frames in a stream of bytes, to and from processes on other hosts. A frame is a
// header and a payload, little-endian. What comes from outside is checked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/archive.hpp"
#include "core/result.hpp"

namespace gondwana::link {

// A variant of structures, which both ends know.
struct MessageSet {
  std::string_view name;  // in errors: "a message between the hosts of the job"
  std::string_view mark;  // four letters, with which each frame begins
  std::uint16_t version;
  bool has_tags;  // each frame carries the tag of its job, which is not 0
  std::size_t kinds;
  std::uint32_t longest_payload;
};

Error malformed(const MessageSet& set, std::string_view what);

std::string make_frame(const MessageSet& set, std::size_t kind, std::uint64_t tag,
                       const std::string& payload);

// `message` is a variant, each of whose structures has fields() in its namespace.
template <typename Message>
std::string encode(const MessageSet& set, const Message& message, std::uint64_t tag) {
  ArchiveWriter payload;
  std::visit([&](const auto& one) { fields(payload, one); }, message);
  return make_frame(set, message.index(), tag, payload.take());
}

// Cuts a stream of bytes into frames. After an error there is no going on.
class FrameCutter {
 public:
  struct Cut {
    std::size_t kind = 0;
    std::string_view payload;  // until the next call
  };

  // The tag that every frame must have; 0: the first frame tells it.
  FrameCutter(const MessageSet& set, std::uint64_t tag) : set_(&set), tag_(tag) {}

  void add(std::string_view bytes) { held_ += bytes; }

  // The next frame, or nothing where its last byte has not come yet: then what was cut is
  // forgotten.
  Result<std::optional<Cut>> next();

  // The next message. `is_plausible` is asked about a structure whose fields are sound.
  template <typename Message, typename IsPlausible>
  Result<std::optional<Message>> next_message(IsPlausible is_plausible);

  // How many bytes the frame that is begun lacks at least, for a reader that must not read more.
  std::size_t missing() const;

  std::uint64_t tag() const { return tag_; }

 private:
  Result<void> check_beginning(std::string_view bytes) const;

  const MessageSet* set_;
  std::uint64_t tag_;
  std::string held_;
  std::size_t taken_ = 0;  // bytes of held_ that were cut
};

template <typename Message, typename IsPlausible>
Result<std::optional<Message>> FrameCutter::next_message(IsPlausible is_plausible) {
  const Result<std::optional<Cut>> cut = next();
  if (!cut) return cut.error();
  if (!*cut) return std::optional<Message>{};
  Message message;
  [&]<std::size_t... Kinds>(std::index_sequence<Kinds...> /*all*/) {
    (((*cut)->kind == Kinds ? void(message.template emplace<Kinds>()) : void()), ...);
  }(std::make_index_sequence<std::variant_size_v<Message>>{});
  ArchiveReader reader((*cut)->payload);
  std::visit([&](auto& one) { fields(reader, one); }, message);
  if (!reader.is_well() || !reader.is_at_end())
    return malformed(*set_, "has the wrong fields; all hosts need the same build of Gondwana");
  if (!std::visit(is_plausible, std::as_const(message)))
    return malformed(*set_, "has a value out of range");
  return std::optional<Message>(std::move(message));
}

}  // namespace gondwana::link
