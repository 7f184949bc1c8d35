#include "report/bench/scale/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gondwana::bench::scale {
namespace {

constexpr std::uint32_t large = 1 << 20;

// Jobs of 2^10 to 2^14 ranks on several nodes; the values identify the figures.
std::vector<ScaleRow> measured() {
  std::vector<ScaleRow> rows;
  for (std::uint32_t ranks = 1 << 10; ranks <= 1 << 14; ranks *= 2) {
    ScaleRow row{.ranks = ranks, .is_real = true, .figures = {}};
    const double number = ranks;
    row.figures = {2 + number / 64, 5, 100 + 7 * std::log2(number), 3 * number * number};
    rows.push_back(row);
  }
  return rows;
}

TEST(ScaleModel, figures_follow_the_curve_that_they_lie_on) {
  const Result<ScaleRow> row = modelled_row(measured(), large);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->ranks, large);
  EXPECT_FALSE(row->is_real);
  EXPECT_EQ(row->figures[0], 2 + large / 64);
  EXPECT_EQ(row->figures[1], 5);
  EXPECT_EQ(row->figures[2], 100 + 7 * 20);
  EXPECT_NEAR(row->figures[3] / (3.0 * large * large), 1, 1e-9);
}

TEST(ScaleModel, jobs_on_one_node_say_nothing_about_several) {
  std::vector<ScaleRow> rows = measured();
  rows[0].figures[0] = rows[1].figures[0] = rows[2].figures[0] = 1;
  const Result<ScaleRow> row = modelled_row(rows, large);
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().text,
            "a model needs three measured sizes of several nodes: raise --real, or begin --ranks "
            "with fewer ranks");
}

}  // namespace
}  // namespace gondwana::bench::scale
