#include "remote/client/in_flight.hpp"

#include <utility>

namespace gondwana::remote {

InFlight::Operation& InFlight::take(Completion& done, std::uint32_t node) {
  Operation& operation = operations_.take();
  operation.done = &done;
  operation.node = node;
  operation.rank.reset();
  operation.is_transfer = false;
  operation.is_write = false;
  operation.is_optional = false;
  add(traffic_.pending, 1);
  return operation;
}

void InFlight::give_back(Operation& operation) {
  operation.done = nullptr;
  operation.size = 0;
  operations_.give_back(operation);
  add(traffic_.pending, ~std::uint64_t{0});
}

void InFlight::begin_message(Operation& operation, std::size_t size) {
  operation.size = operation.is_optional ? 0 : size;
  operation.done->begin();
  leaving_ += operation.size;
}

void InFlight::begin_transfer(Operation& operation, bool is_write) {
  operation.done->begin();
  operation.is_transfer = true;
  operation.is_write = is_write;
  if (is_write) ++writes_;
}

void InFlight::end(Operation& operation) {
  if (operation.is_write) --writes_;
  leaving_ -= operation.size;
  if (operation.done != nullptr) operation.done->finish();
  give_back(operation);
}

void InFlight::abandon(std::uint32_t node, const Error& loss) {
  for (Operation& operation : operations_) {
    if (operation.done == nullptr || operation.node != node) continue;
    leaving_ -= std::exchange(operation.size, 0);
    if (!operation.is_transfer) continue;
    if (std::exchange(operation.is_write, false)) --writes_;
    std::exchange(operation.done, nullptr)->fail(loss);
  }
}

}  // namespace gondwana::remote
