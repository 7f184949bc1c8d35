#include "observe/trace/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/modules.hpp"
#include "core/printable.hpp"

namespace gondwana::trace {
namespace {

// The program chooses its file names; reading a pipe might never end.
bool is_readable(const std::string& file) {
  std::error_code failure;
  return std::filesystem::is_regular_file(file, failure);
}

// Returns the next field of a tab-separated line.
std::string_view cut(std::string_view& text) {
  const std::size_t end = std::min(text.find('\t'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

Symbols::Symbols() {
  constexpr const char* module = "libgondwana_stacks.so";
  if (const Result<void*> function = find_in_module(module, stacks::variables_symbol))
    find_variables_ = reinterpret_cast<stacks::FindVariables>(*function);
  if (const Result<void*> function = find_in_module(module, stacks::lines_symbol))
    find_lines_ = reinterpret_cast<stacks::FindLines>(*function);
}

const std::vector<stacks::Symbol>& Symbols::variables_of(const std::string& file) {
  const auto [known, is_new] = variables_.try_emplace(file);
  if (is_new && find_variables_ != nullptr && is_readable(file))
    find_variables_(file, &known->second);
  return known->second;
}

std::string Symbols::variable(const Module& program, std::uint64_t address) {
  const std::uint64_t in_file = address - program.base;
  const std::vector<stacks::Symbol>& variables = variables_of(program.file);
  auto found = std::ranges::upper_bound(variables, in_file, {}, &stacks::Symbol::begin);
  // Symbols of one variable may overlap: the last one that contains the address is the closest.
  for (int samples = 0; found != variables.begin() && samples < 4; ++samples) {
    --found;
    const std::uint64_t distance = in_file - found->begin;
    if (distance >= found->size) continue;
    return printable(found->name) + (distance != 0 ? fmt::format("+{}", distance) : "");
  }
  return {};
}

const SourceLine& Symbols::line(const std::string& file, std::uint64_t address) {
  const auto [known, is_new] = lines_.try_emplace({file, address});
  if (!is_new || find_lines_ == nullptr || !is_readable(file)) return known->second;
  std::array<char, 4096> text{};
  find_lines_(file.c_str(), address - 1, text.data(), text.size());  // an address inside the call
  std::string_view innermost = text.data();
  innermost = innermost.substr(0, innermost.find('\n'));
  known->second.function = printable(std::string(cut(innermost)));
  const std::string source = std::filesystem::path(cut(innermost)).filename();
  if (!source.empty()) known->second.place = printable(fmt::format("{}:{}", source, innermost));
  return known->second;
}

}  // namespace gondwana::trace
