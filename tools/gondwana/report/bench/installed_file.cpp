#include "report/bench/installed_file.hpp"

#include <fmt/format.h>

#include "base/own_files.hpp"

namespace gondwana::bench {

Result<std::string> find_file(std::string_view name, const char* installed) {
  if (const auto file = find_own_file(name, {"bench", installed})) return file->string();
  return Error{Errc::missing,
               fmt::format("its programs are not installed: neither {0}/bench nor {0}/{1} has {2}",
                           own_path().parent_path().string(), installed, name)};
}

}  // namespace gondwana::bench
