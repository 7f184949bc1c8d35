// The site file: any text gives values of variables, or an error message that names the file.
#include "core/site_file.hpp"

#include <string_view>

#include "core/variables.hpp"
#include "fuzz/target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gondwana;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<SiteFile> site = SiteFile::parse(text, "site");
  if (!site) {
    GONDWANA_ASSERT(site.error().text.starts_with("site:"), site.error().text);
    return 0;
  }
  for (const Variable& variable : variables()) {
    const SiteFile::Value* value = site->find(variable);
    GONDWANA_ASSERT(value == nullptr || value->variable == &variable, variable.name);
  }
  return 0;
}
