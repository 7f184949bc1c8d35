#include "litmus/program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "litmus/parse.hpp"
#include "litmus/runner.hpp"
#include "simulation/arguments.hpp"

namespace gondwana::litmus {
namespace {

struct Wish {
  std::string folder;
  std::string only;
  std::uint64_t seed = 1;
  std::uint64_t iterations = 0;
  std::uint64_t milliseconds = 2000;
  std::uint64_t instances = 0;
};

}  // namespace

int run_program(Door& door, int argc, char** argv) {
  Wish wish;
  std::string wrong =
      simulation::read_arguments({argv + 1, argv + argc}, {{"--tests", &wish.folder},
                                                           {"--only", &wish.only},
                                                           {"--seed", &wish.seed},
                                                           {"--iterations", &wish.iterations},
                                                           {"--milliseconds", &wish.milliseconds},
                                                           {"--instances", &wish.instances}});
  if (wrong.empty() && wish.folder.empty()) wrong = "--tests is missing";
  if (!wrong.empty()) {
    if (door.me() == 0)
      fmt::print(stderr,
                 "{}: {}\nusage: {} --tests FOLDER [--only NAME] [--seed N] [--iterations N] "
                 "[--milliseconds N] [--instances N]\n",
                 door.name(), wrong, argv[0]);
    return 2;
  }
  const Result<std::vector<LitmusTest>> tests = read_tests(wish.folder, door.name(), wish.only);
  if (!tests || tests->empty()) {
    if (door.me() == 0)
      fmt::print(stderr, "{}\n", tests ? "no test of that name" : tests.error().text);
    return 2;
  }
  if (door.me() == 0)
    fmt::print("{} tests of {} on {} ranks, seed {}\n", tests->size(), door.name(), door.size(),
               wish.seed);
  Runner runner(door, {.seed = wish.seed,
                       .iterations = wish.iterations,
                       .seconds = static_cast<double>(wish.milliseconds) * 1e-3,
                       .instances = wish.instances,
                       .print = [](const std::string& text) { fmt::print("{}", text); }});
  const bool is_good = runner.run(*tests);
  std::fflush(stdout);
  return is_good ? 0 : 1;
}

}  // namespace gondwana::litmus
