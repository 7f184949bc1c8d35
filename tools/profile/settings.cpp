#include "settings.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/parse.hpp"

namespace gondwana::profile {
namespace {

Error not_understood(std::string_view word, std::string_view value) {
  constexpr std::array<std::string_view, 6> words{"table", "matrix", "paths",
                                                  "each",  "off",    "none"};
  const std::string_view near = nearest(word, words);
  return {Errc::invalid_argument,
          fmt::format("SHMEM_PROFILE \"{}\": expected table, matrix, paths, each, off or none, or "
                      "several of them separated by commas{}",
                      value, near.empty() ? "" : fmt::format("; did you mean {}?", near))};
}

Result<void> read_words(std::string_view value, Settings& settings) {
  for (std::size_t start = 0; start <= value.size();) {
    const std::size_t end = std::min(value.find(',', start), value.size());
    const std::string_view word = value.substr(start, end - start);
    if (word == "matrix")
      settings.matrix = true;
    else if (word == "paths")
      settings.paths = true;
    else if (word == "each")
      settings.each = true;
    else if (word == "off")
      settings.counting = false;
    else if (word == "none")
      settings.tables = false;
    else if (word != "table")
      return not_understood(word, value);
    start = end + 1;
  }
  return {};
}

}  // namespace

Result<Settings> read_settings(const Environment& environment) {
  Settings settings;
  const Setting file = setting_of(variable(VariableId::shmem_profile_file), environment);
  if (file.value != "auto") settings.file = file.value;
  const Setting words = setting_of(variable(VariableId::shmem_profile), environment);
  if (words.value.empty()) return settings;
  if (const Result<void> read = read_words(words.value, settings); !read) return read.error();
  return settings;
}

}  // namespace gondwana::profile
