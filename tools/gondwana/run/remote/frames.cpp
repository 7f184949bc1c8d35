#include "run/remote/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/archive.hpp"
#include "bootstrap/protocol.hpp"
#include "core/fingerprint.hpp"

namespace gondwana::binding {

constexpr std::uint8_t enumerators(Binding /*binding*/) {
  return 4;
}

}  // namespace gondwana::binding

namespace gondwana::launch {
namespace {

constexpr std::uint32_t magic = 0x72466447;  // "GdFr"
constexpr std::uint16_t version = 5;
constexpr std::size_t header_size = 20;
// A line may be as long as a LineForwarder holds, and some more.
constexpr std::uint32_t longest_payload = 96U << 20;

Error malformed(std::string_view what) {
  return {Errc::malformed, fmt::format("a message between the hosts of the job {}", what)};
}

}  // namespace

// What is on the wire, in its order.
void fields(auto& archive, Of<Program> auto& program) {
  archive(program.ranks, program.words, program.environment, program.folder);
}
void fields(auto& archive, Of<Share> auto& share) {
  archive(share.node, share.nodes, share.first, share.total, share.peer_timeout_s);
}
void fields(auto& archive, Of<TraceWish> auto& trace) {
  archive(trace.file, trace.after_failure, trace.last_ms);
}
void fields(auto& archive, Of<Job> auto& job) {
  archive(job.programs, job.share, job.streams.folder, job.streams.reader, job.binding.to);
  archive(job.binding.is_reported, job.verbose, job.streams.prompts, job.trace);
}
constexpr std::uint8_t enumerators(Standard /*which*/) {
  return 2;
}
// All members, in their order.
void fields(auto& archive, OneOf<Frame> auto& frame) {
  constexpr std::size_t members = structure::count<std::remove_cvref_t<decltype(frame)>>();
  static_assert(members <= 3, "add a line here");
  if constexpr (members == 1) {
    auto& [only] = frame;
    archive(only);
  } else if constexpr (members == 2) {
    auto& [first, second] = frame;
    archive(first, second);
  } else if constexpr (members == 3) {
    auto& [first, second, third] = frame;
    archive(first, second, third);
  }
}

namespace {

struct Header {
  std::uint32_t magic = 0;
  std::uint16_t version = 0;
  std::uint16_t kind = 0;
  std::uint64_t tag = 0;
  std::uint32_t length = 0;
};

Header read_header(std::string_view bytes) {
  Header header;
  ArchiveReader reader(bytes);
  reader(header.magic, header.version, header.kind, header.tag, header.length);
  return header;
}

// What exec takes ends at the first zero.
bool is_for_exec(const std::string& text) {
  return text.find('\0') == std::string::npos;
}

bool plausible(const Program& program) {
  return program.ranks >= 1 && !program.words.empty() &&
         std::ranges::all_of(program.words, is_for_exec) &&
         std::ranges::all_of(program.environment, is_for_exec) && is_for_exec(program.folder);
}

bool plausible(const Task& task) {
  const Job& job = task.job;
  const Share& share = job.share;
  std::uint64_t ranks = 0;
  for (const Program& program : job.programs) ranks += program.ranks;
  return !job.programs.empty() && share.total <= protocol::max_ranks && ranks <= share.total &&
         job.node_ranks().are_among(share.total) && share.nodes <= most_nodes &&
         share.node < share.nodes &&
         std::ranges::all_of(
             job.programs, [](const Program& one) { return plausible(one); }) &&
         std::ranges::all_of(task.environment, is_for_exec) && is_for_exec(task.folder) &&
         is_for_exec(job.streams.folder) && is_for_exec(job.trace.file);
}
bool plausible(const Signal& signal) {
  return signal.number >= 1 && signal.number <= 64;
}
bool plausible(const AllNodes& infos) {
  return infos.infos.size() <= most_nodes && std::ranges::all_of(infos.infos, [](const auto& info) {
           return info.size() <= longest_node_info;
         });
}
bool plausible(const ThisNode& info) {
  return info.info.size() <= longest_node_info;
}
bool plausible(const Output& output) {
  return output.rank < protocol::max_ranks;
}
bool plausible(const End& end) {
  return end.status <= 255;
}
bool plausible(const Stopping& stopping) {
  return stopping.status <= 255;
}
bool plausible(const Ended& ended) {
  return ended.status <= 255;
}
bool plausible(const Left& left) {
  return left.rank < protocol::max_ranks;
}
// Nanoseconds of some clock, up to 30 years: differences of such times are times, too.
bool plausible(const Pong& pong) {
  constexpr std::uint64_t longest_ns = std::uint64_t{1} << 60;
  return pong.sent_ns < longest_ns && pong.time_ns < longest_ns;
}
bool plausible(const auto& /*any bytes will do*/) {
  return true;
}

template <typename Kind>
Result<Frame> read_payload(std::string_view bytes) {
  Kind frame;
  ArchiveReader reader(bytes);
  fields(reader, frame);
  if (!reader.is_well() || !reader.is_at_end()) return malformed("has the wrong length");
  if (!plausible(frame)) return malformed("has a value out of range");
  return Frame(std::move(frame));
}

template <std::size_t... Kinds>
Result<Frame> read_payload(std::size_t kind, std::string_view bytes,
                           std::index_sequence<Kinds...> /*all*/) {
  constexpr std::array readers{read_payload<std::variant_alternative_t<Kinds, Frame>>...};
  return readers.at(kind)(bytes);
}

// The beginning of what is no frame: what a shell says at login is the usual case.
std::string quote_beginning(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, std::min<std::size_t>(bytes.find('\n'), 60));
  std::string text;
  for (const char letter : line) text += letter >= ' ' && letter <= '~' ? letter : '?';
  return text;
}

}  // namespace

std::string encode(const Frame& frame, std::uint64_t tag) {
  ArchiveWriter payload;
  std::visit([&](const auto& one) { fields(payload, one); }, frame);
  const std::string bytes = payload.take();
  GONDWANA_ASSERT(bytes.size() <= longest_payload, bytes.size());
  ArchiveWriter header;
  header(magic, version, static_cast<std::uint16_t>(frame.index()), tag,
         static_cast<std::uint32_t>(bytes.size()));
  return header.take() + bytes;
}

void FrameParser::add(std::string_view bytes) {
  held_ += bytes;
}

Result<std::optional<Frame>> FrameParser::next() {
  const std::string_view rest = std::string_view(held_).substr(taken_);
  if (const Result<void> sound = check_beginning(rest); !sound) return sound.error();
  if (missing() > 0) {
    held_.erase(0, taken_);
    taken_ = 0;
    return std::optional<Frame>{};
  }
  const Header header = read_header(rest);
  constexpr auto kinds = std::make_index_sequence<std::variant_size_v<Frame>>{};
  Result<Frame> frame = read_payload(header.kind, rest.substr(header_size, header.length), kinds);
  if (!frame) return frame.error();
  tag_ = header.tag;
  taken_ += header_size + header.length;
  return std::optional<Frame>(*std::move(frame));
}

// As early as possible: what is no frame may be too short for one.
Result<void> FrameParser::check_beginning(std::string_view bytes) const {
  ArchiveWriter ours;
  ours(magic);
  const std::string expected = ours.take();
  if (!bytes.starts_with(std::string_view(expected).substr(0, bytes.size())))
    return malformed(fmt::format("is not one of ours: \"{}\"", quote_beginning(bytes)));
  if (bytes.size() < header_size) return {};
  const Header header = read_header(bytes.substr(0, header_size));
  if (header.version != version) {
    return malformed(
        fmt::format("has version {}, this build speaks {}; all hosts need the same "
                    "version of Gondwana",
                    header.version, version));
  }
  if (tag_ != 0 && header.tag != tag_) return malformed("belongs to another job");
  if (header.tag == 0) return malformed("belongs to no job");
  if (header.kind >= std::variant_size_v<Frame>) return malformed("is of no known kind");
  if (header.length > longest_payload) return malformed(fmt::format("of {} bytes", header.length));
  return {};
}

std::size_t FrameParser::missing() const {
  const std::string_view rest = std::string_view(held_).substr(taken_);
  if (rest.size() < header_size) return header_size - rest.size();
  const std::size_t size = header_size + read_header(rest.substr(0, header_size)).length;
  return size - std::min(size, rest.size());
}

}  // namespace gondwana::launch
