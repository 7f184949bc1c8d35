// Sends messages as frames in a byte stream between processes on different hosts. A frame has a
// header and a payload, both little-endian. Data from outside is validated here.
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

// A std::variant of structures that both sides know.
struct MessageSet {
  std::string_view name;  // for error messages: "a message between the hosts of the job"
  std::string_view mark;  // the four letters that each frame begins with
  std::uint16_t version;
  bool has_tags;  // each frame carries the tag of its job, which is never 0
  std::size_t kinds;
  std::uint32_t max_payload;
  std::string_view former_mark = {};  // mark of builds whose frames had another header
};

Error malformed(const MessageSet& set, std::string_view what);

std::string make_frame(const MessageSet& set, std::size_t kind, std::uint64_t tag,
                       const std::string& payload);

// `message` is a std::variant; each of its structures has a fields() function in its namespace.
template <typename Message>
std::string payload_of(const Message& message) {
  ArchiveWriter payload;
  std::visit([&](const auto& one) { fields(payload, one); }, message);
  return payload.take();
}
template <typename Message>
std::string encode(const MessageSet& set, const Message& message, std::uint64_t tag) {
  return make_frame(set, message.index(), tag, payload_of(message));
}

// `is_plausible` checks a structure whose fields have been read.
template <typename Message, typename IsPlausible>
Result<std::optional<Message>> decode(const MessageSet& set, std::size_t kind,
                                      std::string_view payload, IsPlausible is_plausible) {
  Message message;
  [&]<std::size_t... Kinds>(std::index_sequence<Kinds...> /*all*/) {
    ((kind == Kinds ? void(message.template emplace<Kinds>()) : void()), ...);
  }(std::make_index_sequence<std::variant_size_v<Message>>{});
  ArchiveReader reader(payload);
  std::visit([&](auto& one) { fields(reader, one); }, message);
  if (!reader.is_ok() || !reader.is_at_end())
    return malformed(set, "has the wrong fields; all hosts need the same build of Gondwana");
  if (!std::visit(is_plausible, std::as_const(message)))
    return malformed(set, "has a value out of range");
  return std::optional<Message>(std::move(message));
}

// Splits a byte stream into frames. No further calls are allowed after an error.
class FrameCutter {
 public:
  struct Cut {
    std::size_t kind = 0;
    std::string_view payload;  // valid until the next call
  };

  // `tag` is the tag that every frame must have; 0: take it from the first frame.
  FrameCutter(const MessageSet& set, std::uint64_t tag) : set_(&set), tag_(tag) {}

  void add(std::string_view bytes) { held_ += bytes; }

  // Returns the next frame, or nothing if it is incomplete. Frees the frame returned before.
  Result<std::optional<Cut>> next();

  // Returns the next message; see decode().
  template <typename Message, typename IsPlausible>
  Result<std::optional<Message>> next_message(IsPlausible is_plausible);

  // A lower bound of the bytes missing from the current frame, for a reader that must not read
  // beyond it.
  std::size_t missing() const;

  std::uint64_t tag() const { return tag_; }

 private:
  Result<void> check_beginning(std::string_view bytes) const;

  const MessageSet* set_;
  std::uint64_t tag_;
  std::string held_;
  std::size_t taken_ = 0;  // bytes of held_ already returned
};

template <typename Message, typename IsPlausible>
Result<std::optional<Message>> FrameCutter::next_message(IsPlausible is_plausible) {
  const Result<std::optional<Cut>> cut = next();
  if (!cut) return cut.error();
  if (!*cut) return std::optional<Message>{};
  return decode<Message>(*set_, (*cut)->kind, (*cut)->payload, is_plausible);
}

}  // namespace gondwana::link
