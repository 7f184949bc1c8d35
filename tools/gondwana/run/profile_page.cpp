#include "run/profile_page.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace gondwana::launch {
namespace {

constexpr std::string_view page_program = "profile_page";

// As the library writes them.
constexpr std::string_view beginning_of_data = R"({"format":"gondwana profile )";

// Beside this program in a build folder, else where it is installed.
Result<std::string> find_page_program() {
  std::error_code failure;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  for (const char* folder : {".", GONDWANA_MODULES}) {
    const auto path = (program.parent_path() / folder / page_program).lexically_normal();
    if (std::filesystem::exists(path / "__main__.py", failure)) return path.string();
  }
  return Error{Errc::missing, fmt::format("it needs {}, which is not beside {}; install Gondwana "
                                          "again",
                                          page_program, program.string())};
}

// The launcher has blocked and ignored signals, which the program would inherit.
struct Attributes {
  Attributes() {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_init(&value);
    ::posix_spawnattr_setsigmask(&value, &none);
    ::posix_spawnattr_setsigdefault(&value, &all);
    ::posix_spawnattr_setflags(&value, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  posix_spawnattr_t value{};
};

Result<void> run_python(const std::string& script, const std::string& data,
                        const std::string& page) {
  const Attributes attributes;
  // -B: nothing is written into the folder of the script.
  std::array<std::string, 5> words{"python3", "-B", script, data, page};
  std::array<char*, words.size() + 1> arguments{};
  std::ranges::transform(words, arguments.begin(), [](std::string& word) { return word.data(); });
  pid_t child = 0;
  const int failure =
      ::posix_spawnp(&child, "python3", nullptr, &attributes.value, arguments.data(), environ);
  if (failure != 0)
    return Error{Errc::missing, fmt::format("python3: {}; install it, then python3 {} {} {} makes "
                                            "the page",
                                            std::strerror(failure), script, data, page)};
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error{Errc::refused, fmt::format("python3 {} {} {} makes the page when what it said is "
                                          "mended",
                                          script, data, page)};
}

}  // namespace

std::string profile_data(const Job& job) {
  return std::filesystem::path(job.profile_page).replace_extension(".json").string();
}

Result<void> forget_profile(const Job& job) {
  const std::string data = profile_data(job);
  std::error_code failure;
  if (!std::filesystem::exists(data, failure)) return {};
  std::string begin(beginning_of_data.size(), '\0');
  std::ifstream(data).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin != beginning_of_data)
    return Error{Errc::refused,
                 fmt::format("--profile: {} is there and is no profile, and the data "
                             "would replace it; choose another name of the page",
                             data)};
  std::filesystem::remove(data, failure);
  return {};
}

Result<void> write_profile_page(const Job& job) {
  const std::string data = profile_data(job);
  std::error_code failure;
  if (!std::filesystem::exists(data, failure))
    return Error{Errc::missing,
                 fmt::format("--profile: no page, for rank 0 has not written {}: a job that fails "
                             "has no profile, nor has a program that uses no shared library of "
                             "Gondwana; on another host the folder must be the same",
                             data)};
  const Result<std::string> script = find_page_program();
  const Result<void> made =
      script ? run_python(*script, data, job.profile_page) : Result<void>(script.error());
  if (made) return {};
  return Error{made.error().code, fmt::format("--profile: no page was made; the data are in {}; {}",
                                              data, made.error().text)};
}

}  // namespace gondwana::launch
