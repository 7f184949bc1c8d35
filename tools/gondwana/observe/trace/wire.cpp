#include "observe/trace/wire.hpp"

namespace gondwana::trace {

std::string encode(const NodeTrace& node) {
  ArchiveWriter writer;
  writer(node);
  return writer.take();
}

Result<NodeTrace> decode(std::string_view bytes) {
  NodeTrace node;
  ArchiveReader reader(bytes);
  reader(node);
  if (reader.is_ok() && reader.is_at_end()) return node;
  return Error{Errc::malformed, "a trace has the wrong fields; all hosts need the same build"};
}

}  // namespace gondwana::trace
