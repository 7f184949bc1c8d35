#include "litmus/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "litmus/operations.hpp"

namespace gondwana::litmus {
namespace {

constexpr std::size_t words_of_line = 8;

std::size_t in_lines(std::size_t words) {
  return (words + words_of_line - 1) / words_of_line * words_of_line;
}

// Whether each load and each store of the test reaches its place.
bool is_in_reach(const LitmusTest& test, const std::vector<int>& pes, const BatchLimits& limits) {
  for (std::size_t rank = 0; rank < test.programs.size(); ++rank)
    for (const Operation& operation : test.programs[rank])
      if (is_of_language(operation.act) && operation.place.rank != nobody &&
          !limits.reaches(pes[rank], pes[static_cast<std::size_t>(operation.place.rank)]))
        return false;
  return true;
}

}  // namespace

std::optional<Batch> Batch::draw(const LitmusTest& test, const BatchLimits& limits,
                                 Random& random) {
  Batch batch;
  if (!batch.choose_ranks(test, limits, random)) return std::nullopt;
  batch.draw_lengths(test, random);
  // Room for a shift, and for the lines that `apart` fills.
  std::size_t words = 0;
  for (const Layout& layout : batch.layouts_) words += in_lines(layout.words);
  const std::size_t fitting = (limits.pool_words - words_of_line) / std::max(words, words_of_line);
  batch.instances_ =
      std::min({random.pick<std::size_t>({8, 32, 128, 512}), limits.instances, fitting});
  const std::size_t shift = random.below(words_of_line);
  batch.place(random.pick<Style>({Style::apart, Style::together, Style::rows}), shift);
  batch.max_pause_ = random.pick<unsigned>({0, 4, 32, 256});
  return batch;
}

bool Batch::choose_ranks(const LitmusTest& test, const BatchLimits& limits, Random& random) {
  constexpr int tries = 50;
  std::vector<int> all(static_cast<std::size_t>(limits.ranks));
  std::iota(all.begin(), all.end(), 0);
  for (int i = 0; i < tries; ++i) {
    random.shuffle(all);
    pes_.assign(all.begin(), all.begin() + test.ranks());
    if (is_in_reach(test, pes_, limits)) return true;
  }
  return false;
}

// Small arrays most of the time, and some that leave the node as network writes.
void Batch::draw_lengths(const LitmusTest& test, Random& random) {
  layouts_.resize(test.locations.size());
  for (std::size_t i = 0; i < layouts_.size(); ++i) {
    const Location& location = test.locations[i];
    layouts_[i].words = !location.is_array
                            ? location.words
                            : random.pick<std::size_t>({1, 1, 2, 3, 8, 40, 300, 900});
  }
  // A transfer between two locations has one length.
  for (std::size_t round = 0; round < layouts_.size(); ++round)
    for (const auto& program : test.programs)
      for (const Operation& operation : program)
        for (const int other : {operation.value.location, operation.result}) {
          if (other == nothing) continue;
          std::size_t& a = layouts_[static_cast<std::size_t>(operation.place.location)].words;
          std::size_t& b = layouts_[static_cast<std::size_t>(other)].words;
          a = b = std::min(a, b);
        }
}

void Batch::place(Style style, std::size_t shift) {
  style_ = style;
  std::size_t next = shift;
  for (Layout& layout : layouts_) {
    layout.first = next;
    const std::size_t words = style == Style::apart ? in_lines(layout.words) : layout.words;
    layout.stride = words;
    next += style == Style::rows ? words * instances_ : words;
  }
  used_words_ = next;
  if (style == Style::rows) return;
  const std::size_t stride = in_lines(next - shift);
  for (Layout& layout : layouts_) layout.stride = stride;
  used_words_ = shift + stride * instances_;
}

int Batch::role_of(int pe) const {
  const auto found = std::ranges::find(pes_, pe);
  return found == pes_.end() ? nobody : static_cast<int>(found - pes_.begin());
}

std::string Batch::description() const {
  std::vector<std::size_t> lengths;
  lengths.reserve(layouts_.size());
  for (const Layout& layout : layouts_) lengths.push_back(layout.words);
  constexpr std::array styles{"lines of their own", "side by side", "rows"};
  return fmt::format(
      "ranks {} of the job, {} instances, locations of {} words in {}, pauses up to {}",
      fmt::join(pes_, " "), instances_, fmt::join(lengths, " "),
      styles.at(static_cast<std::size_t>(style_)), max_pause_);
}

}  // namespace gondwana::litmus
