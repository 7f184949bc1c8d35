#include "run/command_line/foreign_options.hpp"

#include <algorithm>
#include <array>

namespace gondwana::launch {
namespace {

struct Foreign {
  std::string_view name;  // without dashes: launchers use one or two
  std::string_view here;
};

constexpr std::string_view ranks = "-n N";
constexpr std::string_view variable_option = "-x NAME=VALUE";

constexpr std::array foreign{
    Foreign{"chdir", "--wdir FOLDER"},
    Foreign{"cpu-bind", "--bind-to core"},
    Foreign{"env", variable_option},
    Foreign{"export", variable_option},
    Foreign{"genv", variable_option},
    Foreign{"machinefile", "--hostfile FILE"},
    Foreign{"mca", "a variable of gondwana info"},
    Foreign{"nodelist", "--hosts A:N,B:N"},
    Foreign{"nodes", "--hosts A:N,B:N"},
    Foreign{"npes", ranks},
    Foreign{"ntasks", ranks},
    Foreign{"ntasks-per-node", "--ppn N"},
    Foreign{"output-filename", "--output FOLDER"},
    Foreign{"perhost", "--ppn N"},
    Foreign{"procs", ranks},
    Foreign{"ranks", ranks},
    Foreign{"time", "--timeout TIME"},
};

}  // namespace

std::string_view same_as_foreign(std::string_view option) {
  option = option.substr(0, option.find('='));
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  const auto* const found = std::ranges::find(foreign, option, &Foreign::name);
  return found == foreign.end() ? std::string_view() : found->here;
}

}  // namespace gondwana::launch
