#include "report/info/report.hpp"

#include <fmt/format.h>

#include "core/mapping.hpp"

namespace gondwana::info {

Fact word(std::string_view name, std::string_view value, std::string_view remark) {
  return {std::string(name), std::string(value), std::string(value), std::string(remark)};
}

Fact yes_or_no(std::string_view name, bool value, std::string_view remark) {
  return {std::string(name), value, value ? "yes" : "no", std::string(remark)};
}

Fact number(std::string_view name, std::uint64_t value, std::string_view remark) {
  return {std::string(name), value, fmt::to_string(value), std::string(remark)};
}

Fact size(std::string_view name, std::size_t bytes, std::string_view remark) {
  return {std::string(name), std::uint64_t{bytes}, format_size(bytes), std::string(remark)};
}

Fact without_value(std::string_view name, std::string_view text, std::string_view remark) {
  return {std::string(name), std::monostate{}, std::string(text), std::string(remark)};
}

}  // namespace gondwana::info
