// Stacks from the compiler's unwinder: function names without lines.
#include "core/call_frames.hpp"
#include "core/elf_symbols.hpp"
#include "process/stack.hpp"

namespace gondwana {
namespace {

struct Visitor {
  VisitFrame visit;
  void* data;
};

bool name_frame(void* data, const CallFrame& call) {
  const Visitor& visitor = *static_cast<Visitor*>(data);
  Symbol symbol;
  Frame frame{.address = call.address};
  if (find_symbol(call.address, SymbolKind::function, symbol)) frame.function = symbol.name.data();
  return visitor.visit(visitor.data, frame);
}

}  // namespace

void prepare_stack() {}

void visit_address(std::uintptr_t address, VisitFrame visit, void* data) {
  Visitor visitor{visit, data};
  name_frame(&visitor, {address, 0});
}

void walk_stack(VisitFrame visit, void* data) {
  Visitor visitor{visit, data};
  visit_call_frames(name_frame, &visitor);
}

}  // namespace gondwana
