#include "why/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/printable.hpp"
#include "json_text.hpp"
#include "memory/stillness.hpp"
#include "modules.hpp"

namespace gondwana::why {
namespace {

// What forbids it, and what lifts that.
std::string what_forbids() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  int scope = 0;
  if (!(file >> scope) || scope == 0)
    return "a debugger has it, or the container may not trace processes";
  const std::string name = fmt::format("kernel.yama.ptrace_scope is {}: ", scope);
  if (scope == 1) return name + "a process may trace its children only, unless root sets this to 0";
  if (scope == 2) return name + "only root may trace processes, unless root sets this to 0";
  return name + "no process may trace another before the next start of this host";
}

// The rank can print its stack itself.
std::string refused(const Error& error, pid_t process) {
  if (error.text.find("not permitted") == std::string::npos) return error.text;
  return fmt::format(
      "{}; {}; a program that was started with GONDWANA_BACKTRACE=yes prints its stack and goes on "
      "if you type kill -URG {}",
      error.text, what_forbids(), process);
}

Result<std::vector<ThreadStack>> stacks_of(pid_t process) {
  const Result<void*> function = find_in_module("libgondwana_stacks.so", stacks_symbol);
  if (!function)
    return Error{Errc::missing,
                 fmt::format("stacks need the module of Gondwana that uses libdw: {}",
                             function.error().text)};
  Result<std::vector<ThreadStack>> stacks = std::vector<ThreadStack>{};
  reinterpret_cast<FindStacks>(*function)(process, &stacks);
  if (!stacks) return Error{stacks.error().code, refused(stacks.error(), process)};
  return stacks;
}

std::string text_of(const Frame& frame) {
  std::string text = frame.function.empty() ? fmt::format("{:#x}", frame.address) : frame.function;
  if (!frame.file.empty())
    text += fmt::format(" at {}:{}", frame.file, frame.line);
  else if (!frame.module.empty())
    text += fmt::format(" in {}", frame.module);
  return printable(text);
}

// The innermost frame of the program itself.
const Frame* own_frame(const ThreadStack& thread) {
  const auto own = std::ranges::find_if(thread.frames, &Frame::is_program);
  return own != thread.frames.end() ? &*own : nullptr;
}

// The first thread, and others that run functions of the program.
bool matters(const Place& place, const ThreadStack& thread) {
  return &thread == &place.threads.front() || own_frame(thread) != nullptr;
}

std::string text_of(const ThreadStack& thread) {
  if (const Frame* own = own_frame(thread)) return text_of(*own);
  return thread.frames.empty() ? printable(thread.problem) : text_of(thread.frames.front());
}

std::string to_json(const Frame& frame) {
  return fmt::format(R"({{"function": {}, "file": {}, "line": {}, "module": {}}})",
                     json_text(frame.function), json_text(frame.file), frame.line,
                     json_text(frame.module));
}

std::string frames_to_json(const ThreadStack& thread) {
  return json_list(thread.frames, [](const Frame& frame) { return to_json(frame); });
}

std::string to_json(const ThreadStack& thread) {
  return fmt::format(R"({{"thread": {}, "name": {}, "stack": {}}})", thread.thread,
                     json_text(thread.name), frames_to_json(thread));
}

}  // namespace

std::vector<Place> find_places(const jobs::FoundJob& job, const std::vector<std::uint32_t>& ranks) {
  std::vector<Place> places;
  for (const jobs::FoundNode& node : job.nodes) {
    for (std::uint32_t local = 0; local < node.facts().ranks.size(); ++local) {
      const std::uint32_t rank = index(node.facts().ranks[local]);
      const pid_t pid = node.process(local);
      if (std::ranges::find(ranks, rank) == ranks.end() || pid == 0) continue;
      Place& place = places.emplace_back();
      place.rank = rank;
      place.pid = pid;
      // Damaged memory may name any process, which is not to be stopped.
      if (has_replaced_its_program(pid, node.control()))
        place.problem = "this process has no memory of the job";
      else if (Result<std::vector<ThreadStack>> stacks = stacks_of(pid))
        place.threads = *std::move(stacks);
      else
        place.problem = stacks.error().text;
    }
  }
  return places;
}

std::string to_text(const Place& place, bool whole) {
  const std::string on = place.host.empty() ? "" : fmt::format(" on {}", printable(place.host));
  const std::string rank = fmt::format("  rank {} (process {}{}", place.rank, place.pid, on);
  if (place.threads.empty()) return fmt::format("{}): {}\n", rank, printable(place.problem));
  std::string text;
  for (const ThreadStack& thread : place.threads) {
    if (!whole && !matters(place, thread)) continue;
    const std::string name =
        thread.thread == place.pid
            ? ""
            : fmt::format(", thread {} {}", thread.thread, printable(thread.name));
    text += fmt::format("{}{}): {}\n", rank, name, text_of(thread));
    if (!whole) continue;
    for (const Frame& frame : thread.frames) text += fmt::format("      {}\n", text_of(frame));
  }
  return text;
}

// `stack` is that of the first thread.
std::string to_json(const Place& place) {
  const std::string beginning = fmt::format(R"("rank": {}, "process": {}, "host": {})", place.rank,
                                            place.pid, json_text(place.host));
  if (place.threads.empty())
    return fmt::format(R"({{{}, "error": {}}})", beginning, json_text(place.problem));
  return fmt::format(
      R"({{{}, "stack": {}, "threads": {}}})", beginning, frames_to_json(place.threads.front()),
      json_list(place.threads, [](const ThreadStack& thread) { return to_json(thread); }));
}

}  // namespace gondwana::why
