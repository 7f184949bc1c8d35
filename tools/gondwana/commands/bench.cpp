#include "commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "base/circumstances.hpp"
#include "base/complain.hpp"
#include "core/new_file.hpp"
#include "report/bench/comparison.hpp"
#include "report/bench/installed_file.hpp"
#include "report/bench/measurement.hpp"
#include "report/bench/output_of.hpp"
#include "report/bench/report.hpp"
#include "report/bench/scale/scale.hpp"
#include "report/bench/subject.hpp"

namespace gondwana::commands {
namespace {

// The data file is kept next to the page. Its name is unlikely to be a user's own file.
Result<void> write_page(const std::vector<std::string>& data, const std::string& page,
                        const Circumstances& began) {
  const Result<std::string> script = bench::find_file("bench_page", GONDWANA_MODULES "/bench");
  if (!script) return script.error();
  const std::string file = std::filesystem::path(page).replace_extension(".bench.json").string();
  const std::string text = fmt::format("[{}]\n", fmt::join(data, ",\n"));
  if (const Result<void> written = write_file(file, text); !written)
    return Error{Errc::refused,
                 fmt::format("--report: {} cannot be written: {}", file, written.error().text)};
  // -B: write no bytecode into the folder of the script.
  std::vector<std::string> words{"python3", "-B", *script, file, page};
  std::ranges::copy(began.words(), std::back_inserter(words));
  const Result<std::string> made = bench::output_of(words);
  if (made) return {};
  return Error{made.error().code, fmt::format("--report: no page was made; the data are in {}; {}",
                                              file, made.error().text)};
}

// Checked first: otherwise minutes of measuring could be lost.
Result<void> check_folder_of(const std::string& page) {
  const std::string folder = std::filesystem::path(page).parent_path().string();
  if (page.empty() || ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return {};
  return Error{Errc::refused,
               fmt::format("--report: {} cannot be written: {}; nothing was measured", page,
                           std::strerror(errno))};
}

int measure_and_report(const bench::Request& request) {
  if (const Result<void> checked = check_folder_of(request.page); !checked)
    return complain("bench", checked.error().text);
  const std::string doubt = request.page.empty() ? "" : python_warning();
  if (!doubt.empty()) complain("bench", "warning: --report: " + doubt);
  const Circumstances began = present_circumstances();
  const bool is_long = request.measurements.size() > 1 || !request.page.empty();
  const bench::Outcome outcome =
      bench::measure(request.measurements, is_long || ::isatty(STDERR_FILENO) == 1);
  for (const Error& failure : outcome.failures) complain("bench", failure.text);
  const int status = outcome.failures.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
  if (outcome.found.empty()) return status;
  if (request.page.empty()) {
    fmt::print("{}", bench::report(outcome.found));
    return status;
  }
  std::vector<std::string> texts;
  texts.reserve(outcome.found.size());
  for (const bench::Measured& measured : outcome.found) texts.push_back(bench::to_json(measured));
  const Result<void> written = write_page(texts, request.page, began);
  return written ? status : complain("bench", written.error().text);
}

}  // namespace

OptionList options_of_bench() {
  return bench::list_options();
}

int run_bench(const std::vector<std::string>& words) {
  if (!words.empty() && words.front() == "compare")
    return bench::compare_command({words.begin() + 1, words.end()});
  if (const auto empty = std::ranges::find(words, ""); empty != words.end())
    return complain(
        "bench",
        fmt::format("an empty argument follows \"{}\": is a variable unset? Nothing was measured",
                    fmt::join(words.begin(), empty, " ")));
  if (!words.empty() && words.front() == "scale")
    return bench::scale::scale_command({words.begin() + 1, words.end()});
  const Result<bench::Request> request = bench::parse(words);
  if (!request) return complain("bench", request.error().text);
  if (request->help.empty()) return measure_and_report(*request);
  fmt::print("{}", request->help);
  return 0;
}

}  // namespace gondwana::commands
