#include "run/profile_page.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "base/own_files.hpp"
#include "core/read_file.hpp"

namespace gondwana::launch {
namespace {

constexpr std::string_view page_program = "profile_page";

// The start of data that the profiling library writes.
constexpr std::string_view data_prefix = R"({"format":"gondwana profile )";
// The start of the title that the page generator writes.
constexpr std::string_view title_of_page = "<title>Gondwana profile</title>";

// Looks next to this program, as in a build folder, then where it is installed.
Result<std::string> find_page_program() {
  if (const auto page = find_own_file(page_program, {".", GONDWANA_MODULES})) return page->string();
  return Error{Errc::missing,
               fmt::format("it needs {}, which is not next to {}; install Gondwana again",
                           page_program, own_path().string())};
}

// The launcher has blocked and ignored signals, which the program must not inherit.
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

// Returns its status, or the reason why it did not start.
Result<int> run_program(std::vector<std::string> words) {
  const Attributes attributes;
  std::vector<char*> arguments(words.size() + 1);
  std::ranges::transform(words, arguments.begin(), [](std::string& word) { return word.data(); });
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments.front(), nullptr, &attributes.value,
                                     arguments.data(), environ);
  if (failure != 0) return Error{Errc::missing, std::strerror(failure)};
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

Result<void> run_python(const std::string& script, const std::string& data, const std::string& page,
                        const Circumstances& began) {
  const std::string python = "python3";
  // -B: write no bytecode into the folder of the script.
  std::vector<std::string> words{python, "-B", script, data, page};
  std::ranges::copy(began.words(), std::back_inserter(words));
  const Result<int> status = run_program(std::move(words));
  if (!status)
    return Error{Errc::missing,
                 fmt::format("{}: {}; install it, then {} {} {} {} makes the page", python,
                             status.error().text, python, script, data, page)};
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return {};
  return Error{Errc::refused, fmt::format("once that is fixed, {} {} {} {} makes the page", python,
                                          script, data, page)};
}

std::string beginning_of(const std::string& file, std::size_t length) {
  std::string begin(length, '\0');
  const Result<UniqueFd> opened = open_to_read(file);
  const ssize_t count = opened ? ::read(opened->get(), begin.data(), length) : 0;
  begin.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return begin;
}

// Removes the page of an earlier job, and its picture.
void remove_old_page(const std::filesystem::path& page) {
  constexpr std::size_t head = 512;
  if (beginning_of(page, head).find(title_of_page) == std::string::npos) return;
  std::error_code failure;
  std::filesystem::remove(page, failure);
  std::filesystem::remove(std::filesystem::path(page).replace_extension(".svg"), failure);
}

}  // namespace

std::string profile_data(const Job& job) {
  return std::filesystem::path(job.profile.page).replace_extension(".json").string();
}

Result<void> remove_old_profile(const Job& job) {
  const std::string data = profile_data(job);
  std::error_code failure;
  if (std::filesystem::exists(data, failure) &&
      beginning_of(data, data_prefix.size()) != data_prefix)
    return Error{Errc::refused,
                 fmt::format("--profile: {} exists and is not a profile, and the data would "
                             "replace it; choose another name for the page",
                             data)};
  std::filesystem::remove(data, failure);
  remove_old_page(job.profile.page);
  return {};
}

Result<void> write_profile_page(const Job& job, const Circumstances& began) {
  const std::string data = profile_data(job);
  std::error_code failure;
  if (!std::filesystem::exists(data, failure))
    return Error{Errc::missing,
                 fmt::format("--profile: no page, because rank 0 has not written {}: failed jobs "
                             "and programs without Gondwana's shared libraries have no profile; on "
                             "another host the folder must be the same",
                             data)};
  const Result<std::string> script = find_page_program();
  const Result<void> made =
      script ? run_python(*script, data, job.profile.page, began) : Result<void>(script.error());
  if (made) return {};
  return Error{made.error().code, fmt::format("--profile: no page was made; the data are in {}; {}",
                                              data, made.error().text)};
}

}  // namespace gondwana::launch
