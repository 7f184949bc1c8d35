#include "report/bench/scale/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gondwana::bench::scale {
namespace {

constexpr std::size_t min_rows = 3;

using Shape = double (*)(double ranks);

constexpr std::array<Shape, 4> shapes{
    [](double /*ranks*/) { return 0.0; }, [](double ranks) { return std::log2(ranks); },
    [](double ranks) { return ranks; }, [](double ranks) { return ranks * ranks; }};

struct Point {
  double ranks;
  double value;
};

// a + b * shape(ranks)
struct Curve {
  Shape shape = shapes.front();
  double a = 0;
  double b = 0;
  double difference = std::numeric_limits<double>::infinity();  // sum of squared residuals

  double at(double ranks) const { return a + b * shape(ranks); }
};

double weight_of(const Point& point) {
  return 1 / std::max(1.0, point.value * point.value);  // makes the differences relative
}

// The curve with the smallest difference, by weighted least squares.
Curve fit(Shape shape, const std::vector<Point>& points) {
  double weights = 0;
  double mean_shape = 0;
  double mean_value = 0;
  for (const Point& point : points) {
    weights += weight_of(point);
    mean_shape += weight_of(point) * shape(point.ranks);
    mean_value += weight_of(point) * point.value;
  }
  mean_shape /= weights;
  mean_value /= weights;
  double together = 0;
  double alone = 0;
  for (const Point& point : points) {
    const double from_mean = shape(point.ranks) - mean_shape;
    together += weight_of(point) * from_mean * (point.value - mean_value);
    alone += weight_of(point) * from_mean * from_mean;
  }
  Curve curve{.shape = shape, .b = alone > 0 ? together / alone : 0, .difference = 0};
  curve.a = mean_value - curve.b * mean_shape;
  for (const Point& point : points)
    curve.difference += weight_of(point) * std::pow(point.value - curve.at(point.ranks), 2);
  return curve;
}

// Later shapes grow faster, so they must fit clearly better.
Curve best_fit(const std::vector<Point>& points) {
  constexpr double clearly = 0.5;
  constexpr double exact = 1e-12;
  Curve best;
  for (const Shape shape : shapes) {
    const Curve curve = fit(shape, points);
    if (best.difference > exact && curve.difference < clearly * best.difference) best = curve;
  }
  return best;
}

std::span<const ScaleRow> last_on_several_nodes(std::span<const ScaleRow> real) {
  const auto first =
      std::ranges::find_if(real, [](const ScaleRow& row) { return row[Figure::nodes] > 1; });
  const auto begin = static_cast<std::size_t>(first - real.begin());
  const std::size_t count = std::min(fitted_rows, real.size() - begin);
  return real.last(count);
}

}  // namespace

Result<ScaleRow> modelled_row(std::span<const ScaleRow> real, std::uint32_t ranks) {
  const std::span<const ScaleRow> rows = last_on_several_nodes(real);
  if (rows.size() < min_rows)
    return Error{Errc::invalid_argument,
                 "a model needs three measured sizes of several nodes: raise --real, or begin "
                 "--ranks with fewer ranks"};
  ScaleRow modelled{.ranks = ranks, .is_real = false};
  for (std::size_t i = 0; i < figure_names.size(); ++i) {
    std::vector<Point> points;
    for (const ScaleRow& row : rows)
      points.push_back({static_cast<double>(row.ranks), row.figures[i]});
    modelled.figures[i] = std::round(best_fit(points).at(ranks));
  }
  return modelled;
}

}  // namespace gondwana::bench::scale
