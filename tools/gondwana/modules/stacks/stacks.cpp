#include "modules/stacks/stacks.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "modules/stacks/demangled.hpp"

namespace gondwana::stacks {
namespace {

constexpr std::size_t max_frames = 64;

struct Ended {
  void operator()(Dwfl* session) const { ::dwfl_end(session); }
};
using Session = std::unique_ptr<Dwfl, Ended>;

struct Walk {
  Dwfl* session;
  pid_t process;
  std::string program;  // the executable of the process
  std::vector<ThreadStack> threads;
};

std::string name_of(pid_t process, pid_t thread) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/comm", process, thread));
  std::string name;
  std::getline(file, name);
  return name;
}

Frame frame_at(const Walk& walk, Dwarf_Addr address, Dwarf_Addr looked_up) {
  Frame frame;
  frame.address = address;
  Dwfl_Module* module = ::dwfl_addrmodule(walk.session, looked_up);
  if (module == nullptr) return frame;
  const char* file = nullptr;
  if (const char* name =
          ::dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, &file, nullptr))
    frame.module = name;
  frame.is_program = frame.module == walk.program || (file != nullptr && file == walk.program);
  if (const char* name = ::dwfl_module_addrname(module, looked_up))
    frame.function = demangled(name);
  if (Dwfl_Line* line = ::dwfl_module_getsrc(module, looked_up))
    if (const char* source = ::dwfl_lineinfo(line, nullptr, &frame.line, nullptr, nullptr, nullptr))
      frame.file = source;
  return frame;
}

int add_frame(Dwfl_Frame* state, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  Dwarf_Addr address = 0;
  bool is_interrupted = false;
  if (!::dwfl_frame_pc(state, &address, &is_interrupted)) return DWARF_CB_ABORT;
  // A return address points after the call.
  const Dwarf_Addr looked_up = is_interrupted ? address : address - 1;
  std::vector<Frame>& frames = walk.threads.back().frames;
  frames.push_back(frame_at(walk, address, looked_up));
  return frames.size() < max_frames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

std::string last_error() {
  const char* text = ::dwfl_errmsg(-1);
  return text != nullptr ? text : "unknown";
}

int add_thread(Dwfl_Thread* thread, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const pid_t number = ::dwfl_thread_tid(thread);
  ThreadStack& stack = walk.threads.emplace_back();
  stack.thread = number;
  stack.name = name_of(walk.process, number);
  if (::dwfl_thread_getframes(thread, &add_frame, &walk) != 0 && stack.frames.empty())
    stack.problem = last_error();
  return DWARF_CB_OK;
}

Error refusal(pid_t process, const char* what, const std::string& reason) {
  return {Errc::refused,
          fmt::format("the stack of process {} cannot be read: {}: {}", process, what, reason)};
}

std::string program_of(pid_t process) {
  std::error_code failure;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), failure).string();
}

// Reads the mappings of the process.
Result<Session> open_session(pid_t process) {
  static char* no_path = nullptr;
  static const Dwfl_Callbacks callbacks{.find_elf = &::dwfl_linux_proc_find_elf,
                                        .find_debuginfo = &::dwfl_standard_find_debuginfo,
                                        .section_address = nullptr,
                                        .debuginfo_path = &no_path};
  Session session(::dwfl_begin(&callbacks));
  if (session == nullptr) return refusal(process, "dwfl_begin", last_error());
  if (const int number = ::dwfl_linux_proc_report(session.get(), process); number != 0)
    return refusal(process, "its mappings", number > 0 ? std::strerror(number) : last_error());
  if (::dwfl_report_end(session.get(), nullptr, nullptr) != 0)
    return refusal(process, "its mappings", last_error());
  return session;
}

Result<std::vector<ThreadStack>> find_stacks(pid_t process) {
  Result<Session> opened = open_session(process);
  if (!opened) return opened.error();
  const Session session = *std::move(opened);
  if (const int number = ::dwfl_linux_proc_attach(session.get(), process, false); number != 0)
    return refusal(process, "attach", number > 0 ? std::strerror(number) : last_error());
  Walk walk{session.get(), process, program_of(process), {}};
  const int ended = ::dwfl_getthreads(session.get(), &add_thread, &walk);
  if (walk.threads.empty())
    return refusal(process, "its threads", ended < 0 ? last_error() : "there are none");
  std::ranges::stable_partition(
      walk.threads, [process](const ThreadStack& stack) { return stack.thread == process; });
  if (const ThreadStack& first = walk.threads.front(); first.frames.empty())
    return refusal(process, "ptrace", first.problem);
  return std::move(walk.threads);
}

struct Search {
  std::string program;
  std::uint64_t address;
  std::string name;
};

// Symmetric variables lie in memory of the job. No mapping associates their address with the
// program, so its symbols are searched.
int search_program(Dwfl_Module* module, void** /*data*/, const char* module_name,
                   Dwarf_Addr /*start*/, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (search.program != module_name) return DWARF_CB_OK;
  const int symbols = ::dwfl_module_getsymtab(module);
  for (int i = 1; i < symbols; ++i) {
    GElf_Sym symbol{};
    GElf_Addr begin = 0;
    const char* name =
        ::dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
    if (search.address < begin || search.address - begin >= symbol.st_size) continue;
    const std::uint64_t distance = search.address - begin;
    search.name = demangled(name) + (distance != 0 ? fmt::format("+{}", distance) : "");
    return DWARF_CB_ABORT;
  }
  return DWARF_CB_ABORT;
}

std::string name_variable(const Variable& variable) {
  const Result<Session> session = open_session(variable.process);
  if (!session) return {};
  Search search{program_of(variable.process), variable.address, {}};
  ::dwfl_getmodules(session->get(), &search_program, &search, 0);
  return search.name;
}

}  // namespace
}  // namespace gondwana::stacks

extern "C" [[gnu::visibility("default")]] void gondwana_stacks_of(
    pid_t process, gondwana::Result<std::vector<gondwana::stacks::ThreadStack>>* stacks) {
  *stacks = gondwana::stacks::find_stacks(process);
}

extern "C" [[gnu::visibility("default")]] void gondwana_name_variable(
    const gondwana::stacks::Variable& variable, std::string* name) {
  *name = gondwana::stacks::name_variable(variable);
}
