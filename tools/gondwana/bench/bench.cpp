#include "bench/bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/comparison.hpp"
#include "bench/installed_file.hpp"
#include "bench/measurement.hpp"
#include "bench/output_of.hpp"
#include "bench/report.hpp"
#include "bench/scale/scale.hpp"
#include "bench/subject.hpp"

namespace gondwana::bench {
namespace {

int complain(const Error& error) {
  fmt::print(stderr, "gondwana bench: {}\n", error.text);
  return 1;
}

// The data stay beside the page, under a name that no other file of a user has by chance.
Result<void> write_page(const std::vector<std::string>& data, const std::string& page) {
  const Result<std::string> script = find_file("bench_page", GONDWANA_MODULES "/bench");
  if (!script) return script.error();
  const std::string file = std::filesystem::path(page).replace_extension(".bench.json").string();
  if (!(std::ofstream(file) << fmt::format("[{}]\n", fmt::join(data, ",\n"))).flush())
    return Error{Errc::refused, fmt::format("--report: {} cannot be written", file)};
  // -B: nothing is written into the folder of the script.
  const Result<std::string> made = output_of({"python3", "-B", *script, file, page});
  if (made) return {};
  return Error{made.error().code, fmt::format("--report: no page was made; the data are in {}; {}",
                                              file, made.error().text)};
}

int measure_and_tell(const Request& request) {
  const bool is_long = request.measurements.size() > 1 || !request.page.empty();
  const Result<std::vector<Measured>> all =
      measure(request.measurements, is_long || ::isatty(STDERR_FILENO) == 1);
  if (!all) return complain(all.error());
  std::vector<std::string> texts;
  texts.reserve(all->size());
  for (const Measured& measured : *all) texts.push_back(report(measured));
  if (request.page.empty()) {
    fmt::print("{}", together(texts, request.measurements.front().format));
    return 0;
  }
  const Result<void> written = write_page(texts, request.page);
  return written ? 0 : complain(written.error());
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  if (!words.empty() && words.front() == "compare")
    return compare_command({words.begin() + 1, words.end()});
  if (!words.empty() && words.front() == "scale")
    return scale_command({words.begin() + 1, words.end()});
  const Result<Request> request = parse(words);
  if (!request) return complain(request.error());
  if (!request->help) return measure_and_tell(*request);
  fmt::print("{}", help_text());
  return 0;
}

}  // namespace gondwana::bench
