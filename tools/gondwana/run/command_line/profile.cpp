#include "run/command_line/profile.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/own_files.hpp"
#include "run/profile_page.hpp"

namespace gondwana::launch {
namespace {

constexpr std::string_view library = "libgondwana_shmem_profile.so";

// Looks next to this program, as in a build folder, then where it is installed.
Result<std::string> find_library() {
  if (const auto file = find_own_file(library, {".", GONDWANA_LIBRARIES})) return file->string();
  const std::filesystem::path here = own_path().parent_path();
  return Error{
      Errc::missing,
      fmt::format("--profile and --trace need {}, which is neither in {} nor in {}; "
                  "install Gondwana again",
                  library, here.string(), (here / GONDWANA_LIBRARIES).lexically_normal().string())};
}

std::string value_of(const std::vector<std::string>& environment, const std::string& name) {
  for (auto entry = environment.rbegin(); entry != environment.rend(); ++entry)
    if (entry->starts_with(name + "=")) return entry->substr(name.size() + 1);
  const char* inherited = std::getenv(name.c_str());
  return inherited != nullptr ? inherited : "";
}

std::string preloaded_already(const std::vector<std::string>& environment) {
  return value_of(environment, "LD_PRELOAD");
}

// Ranks that join, die or leave have no tables in common with the others.
Result<void> let_each_rank_report(Job& job) {
  if (!job.profile.page.empty())
    return Error{Errc::refused,
                 fmt::format("--profile={}: a page is not implemented for a job whose ranks join, "
                             "die or leave; --profile alone prints a table of each rank",
                             job.profile.page)};
  for (Program& program : job.programs) {
    std::vector<std::string>& environment = program.environment;
    if (preloaded_already(environment).find(library) == std::string::npos) continue;
    const std::string words = value_of(environment, "SHMEM_PROFILE");
    environment.push_back(fmt::format("SHMEM_PROFILE={}{}each", words, words.empty() ? "" : ","));
  }
  return {};
}

}  // namespace

Result<void> preload_profile(std::vector<std::string>& environment) {
  Result<std::string> file = find_library();
  if (!file) return file.error();
  if (file->find_first_of(": ") != std::string::npos) {
    return Error{Errc::refused,
                 fmt::format("--profile, --trace: {} cannot be preloaded: its path has a blank "
                             "or a colon; link with -lgondwana_shmem_profile",
                             *file)};
  }
  const std::string others = preloaded_already(environment);
  environment.push_back(fmt::format("LD_PRELOAD={}{}{}", *file, others.empty() ? "" : ":", others));
  return {};
}

Result<void> preload_for_job(Job& job) {
  if (job.max_ranks || job.continues_after_death())
    if (const Result<void> done = let_each_rank_report(job); !done) return done;
  if (job.profile.page.empty() && !job.trace.is_on()) return {};
  for (Program& program : job.programs) {
    std::vector<std::string>& environment = program.environment;
    const bool has_table = preloaded_already(environment).find(library) != std::string::npos;
    if (!has_table)
      if (const Result<void> done = preload_profile(environment); !done) return done;
    if (job.trace.is_on()) environment.emplace_back("GONDWANA_TRACE=yes");
    if (!job.profile.page.empty()) {
      environment.emplace_back("SHMEM_PROFILE=matrix,paths");
      environment.push_back("SHMEM_PROFILE_FILE=" + profile_data(job));
    } else if (!has_table) {
      environment.emplace_back("SHMEM_PROFILE=none");
    }
  }
  return {};
}

}  // namespace gondwana::launch
