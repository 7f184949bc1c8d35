#include "report/why/place_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/printable.hpp"

namespace gondwana::why {
namespace {

std::string text_of(const stacks::Frame& frame) {
  std::string text = frame.function.empty() ? fmt::format("{:#x}", frame.address) : frame.function;
  if (!frame.file.empty())
    text += fmt::format(" at {}:{}", frame.file, frame.line);
  else if (!frame.module.empty())
    text += fmt::format(" in {}", frame.module);
  return printable(text);
}

// The innermost frame in the program itself.
const stacks::Frame* own_frame(const stacks::ThreadStack& thread) {
  const auto own = std::ranges::find_if(thread.frames, &stacks::Frame::is_program);
  return own != thread.frames.end() ? &*own : nullptr;
}

// True for the first thread, and for others that run functions of the program.
bool matters(const stacks::Place& place, const stacks::ThreadStack& thread) {
  return &thread == &place.threads.front() || own_frame(thread) != nullptr;
}

std::string text_of(const stacks::ThreadStack& thread) {
  if (const stacks::Frame* own = own_frame(thread)) return text_of(*own);
  return thread.frames.empty() ? printable(thread.problem) : text_of(thread.frames.front());
}

}  // namespace

std::string to_text(const stacks::Place& place, bool whole) {
  const std::string on = place.host.empty() ? "" : fmt::format(" on {}", printable(place.host));
  const std::string rank = fmt::format("  rank {} (process {}{}", place.rank, place.pid, on);
  if (place.threads.empty()) return fmt::format("{}): {}\n", rank, printable(place.problem));
  std::string text;
  for (const stacks::ThreadStack& thread : place.threads) {
    if (!whole && !matters(place, thread)) continue;
    const std::string name =
        thread.thread == place.pid
            ? ""
            : fmt::format(", thread {} {}", thread.thread, printable(thread.name));
    text += fmt::format("{}{}): {}\n", rank, name, text_of(thread));
    if (!whole) continue;
    for (const stacks::Frame& frame : thread.frames)
      text += fmt::format("      {}\n", text_of(frame));
  }
  return text;
}

}  // namespace gondwana::why
