// Frames between the hosts of a job: any bytes are refused or are frames, however they are split,
// and a frame survives encoding and decoding.
#include "run/remote/frames.hpp"

#include <algorithm>
#include <string>

#include "fuzz/choices.hpp"
#include "fuzz/target.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t job_tag = 0x1122334455667788;
constexpr std::size_t kind_offset = 6;
constexpr std::size_t length_offset = 16;
constexpr std::size_t header_size = 20;

// Equal frames are equal bytes.
void survives(const Frame& frame) {
  const std::string bytes = encode(frame, job_tag);
  FrameParser parser(job_tag);
  parser.add(bytes);
  const Result<std::optional<Frame>> back = parser.next();
  GONDWANA_ASSERT(back && *back, frame.index());
  GONDWANA_ASSERT(encode(**back, job_tag) == bytes, frame.index());
  FrameParser of_another_job(job_tag + 1);
  of_another_job.add(bytes);
  GONDWANA_ASSERT(!of_another_job.next(), frame.index());
}

// Counts the frames in `bytes` up to the first error, parsed `piece` bytes at a time.
std::size_t parse(std::string_view bytes, std::size_t piece) {
  FrameParser parser;
  std::size_t frames = 0;
  while (!bytes.empty()) {
    const std::size_t length = std::min({piece, bytes.size(), parser.missing()});
    GONDWANA_ASSERT(length > 0, piece, frames);
    parser.add(bytes.substr(0, length));
    bytes.remove_prefix(length);
    const Result<std::optional<Frame>> frame = parser.next();
    if (!frame) {
      GONDWANA_ASSERT(frame.error().code == Errc::malformed, frames);
      return frames;
    }
    if (!*frame) continue;
    ++frames;
    survives(**frame);
  }
  return frames;
}

// Bytes as an attacker would send them.
void parse_any(std::string_view bytes) {
  const std::size_t whole = parse(bytes, bytes.size());
  const std::size_t bits = parse(bytes, 1);
  GONDWANA_ASSERT(whole == bits, whole, bits);
}

// The same after a valid header, to reach the payloads.
void parse_payload(std::string_view bytes) {
  if (bytes.empty()) return;
  std::string frame = encode(Ping{}, job_tag).substr(0, header_size);
  frame[kind_offset] =
      static_cast<char>(static_cast<unsigned char>(bytes[0]) % std::variant_size_v<Frame>);
  const std::size_t length = std::min<std::size_t>(bytes.size() - 1, 0xffff);
  frame[length_offset] = static_cast<char>(length & 0xff);
  frame[length_offset + 1] = static_cast<char>(length >> 8);
  parse_any(frame + std::string(bytes.substr(1, length)));
}

std::string any_text(fuzz::Choices& choices) {
  std::string text(choices.take<std::uint8_t>() % 8, ' ');
  for (char& letter : text) letter = static_cast<char>(choices.take<std::uint8_t>() | 1);
  return text;
}

Task any_task(fuzz::Choices& choices) {
  Task task{.job = {}, .environment = {any_text(choices)}, .folder = any_text(choices)};
  Job& job = task.job;
  std::uint32_t ranks = 0;
  for (int left = choices.take<std::uint8_t>() % 3; left >= 0; --left) {
    Program& program = job.programs.emplace_back();
    program.ranks = choices.take<std::uint8_t>() + 1U;
    program.words = {any_text(choices), any_text(choices)};
    ranks += program.ranks;
  }
  job.share = {.node = choices.take<std::uint8_t>(),
               .nodes = 256,
               .first = choices.take<std::uint8_t>(),
               .total = ranks + 255,
               .tag = 0,
               .peer_timeout_s = choices.take<std::uint32_t>()};
  job.binding.to = static_cast<Binding>(choices.take<std::uint8_t>() % 4);
  job.verbose = choices.take<std::uint8_t>() % 2 == 0;
  if (choices.take<std::uint8_t>() % 2 == 0) job.streams.reader.reset();
  return task;
}

Frame any_frame(fuzz::Choices& choices) {
  switch (choices.take<std::uint8_t>() % 8) {
    case 0:
      return any_task(choices);
    case 1:
      return Input{any_text(choices)};
    case 2:
      return Signal{choices.take<std::uint8_t>() % 64U + 1};
    case 3:
      return NodeRows{
          {{choices.take<std::uint8_t>(), choices.take<std::uint64_t>(), any_text(choices)}}};
    case 4:
      return Taken{choices.take<std::uint64_t>()};
    case 5:
      return Output{choices.take<std::uint16_t>(), Standard::error, any_text(choices)};
    case 6:
      return Stopping{choices.take<std::uint8_t>(), any_text(choices)};
    default:
      return Hello{};
  }
}

}  // namespace
}  // namespace gondwana::launch

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gondwana;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  launch::parse_any(bytes);
  launch::parse_payload(bytes);
  fuzz::Choices choices({data, size});
  launch::survives(launch::any_frame(choices));
  return 0;
}
