#include "run/remote/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

#include "bootstrap/protocol.hpp"
#include "core/fingerprint.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint32_t magic = 0x72466447;  // "GdFr"
constexpr std::uint16_t version = 2;
constexpr std::size_t header_size = 20;
// A line may be as long as a LineForwarder holds, and some more.
constexpr std::uint32_t longest_payload = 96U << 20;

Error malformed(std::string_view what) {
  return {Errc::malformed, fmt::format("a message between the hosts of the job {}", what)};
}

// Const where it is written.
template <typename Value, typename Type>
concept Of = std::same_as<std::remove_const_t<Value>, Type>;

template <typename Value>
concept Compound = Of<Value, Program> || Of<Value, Share> || Of<Value, Job>;

// What is on the wire, in its order: once for writing and for reading.
void fields(auto& archive, Of<Program> auto& program) {
  archive(program.ranks, program.words, program.environment, program.folder);
}
void fields(auto& archive, Of<Share> auto& share) {
  archive(share.node, share.nodes, share.first, share.total, share.peer_timeout_s);
}
void fields(auto& archive, Of<Job> auto& job) {
  archive(job.programs, job.share, job.output_folder, job.reader, job.binding);
  archive(job.report_bindings, job.verbose, job.prompts);
}
// All others: their members, in their order.
void fields(auto& archive, auto& frame) {
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

class Writer {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }

  std::string take() { return std::move(bytes_); }

 private:
  template <std::unsigned_integral Number>
  void put(Number number) {
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      bytes_ += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
  }
  void put(bool flag) { put(static_cast<std::uint8_t>(flag ? 1 : 0)); }
  void put(Standard which) { put(static_cast<std::uint8_t>(which)); }
  void put(Binding binding) { put(static_cast<std::uint8_t>(binding)); }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  void put(const std::optional<std::uint32_t>& number) {
    put(number.has_value());
    put(number.value_or(0));
  }
  template <typename Value>
  void put(const std::vector<Value>& values) {
    put(static_cast<std::uint32_t>(values.size()));
    for (const Value& value : values) put(value);
  }
  void put(const Compound auto& value) { fields(*this, value); }

  std::string bytes_;
};

// After the first thing that is wrong everything it reads is empty. Values that no Writer writes
// are wrong too.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }

  bool is_well() const { return well_; }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  void spoil() {
    well_ = false;
    bytes_ = {};
  }

  std::string_view cut(std::size_t length) {
    if (length > bytes_.size()) spoil();
    const std::string_view piece = bytes_.substr(0, length);
    bytes_.remove_prefix(piece.size());
    return piece;
  }

  template <std::unsigned_integral Number>
  void get(Number& number) {
    const std::string_view piece = cut(sizeof(Number));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < piece.size(); ++i)
      sum |= std::uint64_t{static_cast<unsigned char>(piece[i])} << (8 * i);
    number = static_cast<Number>(sum);
  }
  std::uint8_t get_below(std::uint8_t end) {
    std::uint8_t number = 0;
    get(number);
    if (number < end) return number;
    spoil();
    return 0;
  }
  void get(bool& flag) { flag = get_below(2) == 1; }
  void get(Standard& which) { which = static_cast<Standard>(get_below(2)); }
  void get(Binding& binding) { binding = static_cast<Binding>(get_below(4)); }
  void get(std::string& text) {
    std::uint32_t length = 0;
    get(length);
    text = cut(length);
  }
  void get(std::optional<std::uint32_t>& number) {
    bool present = false;
    std::uint32_t value = 0;
    (*this)(present, value);
    if (!present && value != 0) spoil();
    number = present ? std::optional(value) : std::nullopt;
  }
  template <typename Value>
  void get(std::vector<Value>& values) {
    std::uint32_t count = 0;
    get(count);
    // Every value has bytes of its own: a number that lies costs no memory.
    if (count > bytes_.size()) spoil();
    for (std::uint32_t i = 0; i < count && well_; ++i) get(values.emplace_back());
  }
  void get(Compound auto& value) { fields(*this, value); }

  std::string_view bytes_;
  bool well_ = true;
};

struct Header {
  std::uint32_t magic = 0;
  std::uint16_t version = 0;
  std::uint16_t kind = 0;
  std::uint64_t tag = 0;
  std::uint32_t length = 0;
};

Header read_header(std::string_view bytes) {
  Header header;
  Reader reader(bytes);
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
  return !job.programs.empty() && share.total <= protocol::max_ranks &&
         share.first <= share.total && ranks <= share.total - share.first &&
         share.nodes <= most_nodes && share.node < share.nodes &&
         std::ranges::all_of(
             job.programs, [](const Program& one) { return plausible(one); }) &&
         std::ranges::all_of(task.environment, is_for_exec) && is_for_exec(task.folder) &&
         is_for_exec(job.output_folder);
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
bool plausible(const Stopping& stopping) {
  return stopping.status <= 255;
}
bool plausible(const Ended& ended) {
  return ended.status <= 255;
}
bool plausible(const Left& left) {
  return left.rank < protocol::max_ranks;
}
bool plausible(const auto& /*any bytes will do*/) {
  return true;
}

template <typename Kind>
Result<Frame> read_payload(std::string_view bytes) {
  Kind frame;
  Reader reader(bytes);
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
  Writer payload;
  std::visit([&](const auto& one) { fields(payload, one); }, frame);
  const std::string bytes = payload.take();
  GONDWANA_ASSERT(bytes.size() <= longest_payload, bytes.size());
  Writer header;
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
  Writer ours;
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
