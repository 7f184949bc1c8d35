#include "why/words.hpp"

#include "modules.hpp"
#include "stacks_module/stacks.hpp"

namespace gondwana::why {

void name_words(jobs::JobSeen& job) {
  // Each takes some milliseconds, and ranks beyond these wait for the same, most often.
  constexpr int most = 64;
  int named = 0;
  for (jobs::RankSeen& rank : job.seen) {
    if (!rank.wait || rank.wait->place == 0 || !rank.wait->word.empty() || rank.pid == 0) continue;
    const Result<void*> function = find_in_module("libgondwana_stacks.so", variable_symbol);
    if (!function || named++ == most) return;
    reinterpret_cast<NameVariable>(*function)({rank.pid, rank.wait->place}, &rank.wait->word);
  }
}

}  // namespace gondwana::why
