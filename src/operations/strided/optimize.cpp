#include "operations/strided/optimize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace gondwana::strided {

// Builds a Transfer. Each function is one step of the optimization.
class Optimizer {
 public:
  explicit Optimizer(End ordered) : ordered_(ordered) {}

  // False: the description is invalid, and refuse() finds the reason. Folds a dimension at once if
  // it continues the previous one.
  bool take(const Description& description);
  void invert();
  void sort();
  void fold();

  const Transfer& transfer() const { return transfer_; }

 private:
  std::span<Dimension> outer() { return {transfer_.dimensions_.data() + 1, transfer_.count_ - 1}; }
  bool extend(const Dimension& dimension);
  void append(const Dimension& dimension) { transfer_.dimensions_[transfer_.count_++] = dimension; }
  void add(const Dimension& dimension);
  void flip(Dimension& dimension);
  bool runs_before(const Dimension& left, const Dimension& right) const;

  End ordered_;
  Transfer transfer_;
  // The totals so far in take(); all are below `longest`.
  std::size_t bytes_ = 0;
  std::size_t target_span_ = 0;
  std::size_t source_span_ = 0;
};

namespace {

// Whether `next` continues `inside` at both ends. Then the two are one dimension.
bool continues(const Dimension& next, const Dimension& inside) {
  const auto extent = static_cast<std::ptrdiff_t>(inside.extent);
  return next.target == inside.target * extent && next.source == inside.source * extent;
}

// Adds the distance to the last index of a dimension, in either direction. False: too large.
bool extend_span(std::size_t& span, std::size_t extent, std::ptrdiff_t stride) {
  const auto forward = static_cast<std::size_t>(stride);
  std::size_t distance = 0;
  if (__builtin_mul_overflow(extent - 1, stride < 0 ? 0 - forward : forward, &distance) ||
      distance >= longest)
    return false;
  span += distance;
  return span < longest;
}

}  // namespace

// Strides of 0 can describe more bytes than a number holds, within a small span.
bool Optimizer::extend(const Dimension& dimension) {
  return !__builtin_mul_overflow(bytes_, dimension.extent, &bytes_) && bytes_ < longest &&
         extend_span(target_span_, dimension.extent, dimension.target) &&
         extend_span(source_span_, dimension.extent, dimension.source);
}

void Optimizer::add(const Dimension& dimension) {
  Dimension& last = transfer_.dimensions_[transfer_.count_ - 1];
  if (continues(dimension, last))
    last.extent *= dimension.extent;
  else
    append(dimension);
}

bool Optimizer::take(const Description& description) {
  const std::size_t levels = description.extents.size();
  if (description.target_strides.size() != levels || description.source_strides.size() != levels ||
      description.element >= longest)
    return false;
  append({description.element, 1, 1});
  bytes_ = target_span_ = source_span_ = description.element;
  for (std::size_t i = 0; i < levels; ++i) {
    const std::size_t extent = description.extents[i];
    if (extent == 1) continue;
    const Dimension next{extent, description.target_strides[i], description.source_strides[i]};
    if (extent == 0 || !extend(next) || transfer_.count_ > Transfer::max_dimensions) return false;
    add(next);
  }
  return description.element != 0;
}

// Reverses the direction of a dimension.
void Optimizer::flip(Dimension& dimension) {
  const auto last = static_cast<std::ptrdiff_t>(dimension.extent - 1);
  transfer_.target_ += last * dimension.target;
  transfer_.source_ += last * dimension.source;
  dimension.target = -dimension.target;
  dimension.source = -dimension.source;
}

void Optimizer::invert() {
  const End other = ordered_ == End::target ? End::source : End::target;
  for (Dimension& dimension : outer()) {
    const std::ptrdiff_t stride = dimension.stride(ordered_);
    if (stride < 0 || (stride == 0 && dimension.stride(other) < 0)) flip(dimension);
  }
}

// Sorts by stride. A dimension with stride 0 repeats everything inside it and comes last. The other
// keys only make the result unique.
bool Optimizer::runs_before(const Dimension& left, const Dimension& right) const {
  const auto key = [this](const Dimension& dimension) {
    const std::ptrdiff_t stride = dimension.stride(ordered_);
    return std::tuple(stride == 0, stride, dimension.target, dimension.source, dimension.extent);
  };
  return key(left) < key(right);
}

void Optimizer::sort() {
  // Insertion sort, because dimensions are few and mostly sorted already.
  const std::span<Dimension> dimensions = outer();
  for (std::size_t i = 1; i < dimensions.size(); ++i)
    for (std::size_t j = i; j > 0 && runs_before(dimensions[j], dimensions[j - 1]); --j)
      std::swap(dimensions[j], dimensions[j - 1]);
}

// The piece counts as a dimension, so that elements can grow here too.
void Optimizer::fold() {
  Dimension* last = transfer_.dimensions_.data();
  for (const Dimension& next : outer()) {
    if (continues(next, *last))
      last->extent *= next.extent;
    else
      *++last = next;
  }
  transfer_.count_ = static_cast<std::size_t>(last - transfer_.dimensions_.data()) + 1;
}

namespace {

bool has_too_many_bytes(const Description& description) {
  std::size_t bytes = description.element;
  for (const std::size_t extent : description.extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes >= longest) return true;
  return false;
}

// The transfers that take() rejects: an empty one, or an error.
[[gnu::cold]] Result<Transfer> refuse(const Description& description) {
  for (const End end : {End::target, End::source}) {
    const Result<Bounds> touched = bounds(description, end);
    if (!touched) return touched.error();
    if (touched->begin == touched->end) return Transfer();
  }
  if (has_too_many_bytes(description))
    return Error{Errc::invalid_argument,
                 fmt::format("a strided transfer of {} dimensions and elements of {} bytes has "
                             "more than 2^62 bytes; check its extents",
                             description.extents.size(), description.element)};
  return Error{Errc::invalid_argument,
               fmt::format("a strided transfer has more than {} dimensions of an extent above 1; "
                           "split it",
                           Transfer::max_dimensions)};
}

}  // namespace

Result<Transfer> optimize(const Description& description, End ordered) {
  Optimizer optimizer(ordered);
  if (!optimizer.take(description)) return refuse(description);
  optimizer.invert();
  optimizer.sort();
  optimizer.fold();
  return optimizer.transfer();
}

}  // namespace gondwana::strided
