// Answers of other hosts to tools: any bytes are refused or are answers, and tables and messages
// can be made from any answer.
#include "observe/hosts/messages.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "fuzz/target.hpp"
#include "observe/jobs/listing.hpp"
#include "observe/trace/flows.hpp"
#include "observe/trace/wire.hpp"
#include "report/top/metrics.hpp"
#include "report/top/table.hpp"
#include "report/why/diagnosis.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::hosts {
namespace {

void show(const jobs::JobSeen& job) {
  GONDWANA_ASSERT(!why::diagnose(job).sentences.empty(), job.ranks);
  for (const bool by_node : {false, true})
    for (std::size_t column = 0; column < top::columns().size(); ++column)
      top::table_of(job, {.sorted_by = column, .by_node = by_node});
  top::to_json(job);
  top::to_metrics(job);
}

void show(const std::vector<jobs::Row>& found) {
  std::vector<jobs::Row> rows;
  jobs::merge(rows, found);
  jobs::merge(rows, found);
  for (const jobs::Row& row : rows) jobs::state_of(row);
}

void show(std::vector<trace::NodeTrace> nodes) {
  for (const trace::NodeTrace& node : nodes)
    GONDWANA_ASSERT(trace::decode(trace::encode(node)), node.node);
  trace::find_flows(nodes);
  trace::keep_last(nodes, 1'000'000);
}

void show(const Message& message) {
  const std::string bytes = encode(message);
  MessageParser parser;
  parser.add(bytes);
  const Result<std::optional<Message>> back = parser.next();
  GONDWANA_ASSERT(back && *back && encode(**back) == bytes, message.index());
  if (const auto* watched = std::get_if<Watched>(&message); watched != nullptr && watched->job)
    show(*watched->job);
  if (const auto* listed = std::get_if<Listed>(&message)) show(listed->rows);
  if (const auto* traced = std::get_if<Traced>(&message)) show(traced->nodes);
}

void parse(std::string_view bytes) {
  MessageParser parser;
  parser.add(bytes);
  for (;;) {
    const Result<std::optional<Message>> message = parser.next();
    if (!message || !*message) return;
    show(**message);
  }
}

// After a valid header, to reach the payloads.
void parse_payload(std::string_view bytes) {
  if (bytes.empty()) return;
  constexpr std::size_t kind_offset = 6;
  constexpr std::size_t length_offset = 16;
  constexpr std::size_t header_size = 20;
  std::string message = encode(AskTime{});
  GONDWANA_ASSERT(message.size() == header_size, message.size());
  const std::size_t length = bytes.size() - 1;
  for (std::size_t i = 0; i < 4; ++i)
    message[length_offset + i] = static_cast<char>(length >> (8 * i) & 0xff);
  message[kind_offset] =
      static_cast<char>(static_cast<unsigned char>(bytes[0]) % std::variant_size_v<Message>);
  parse(message + std::string(bytes.substr(1)));
}

}  // namespace
}  // namespace gondwana::hosts

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  gondwana::hosts::parse(bytes);
  gondwana::hosts::parse_payload(bytes);
  static_cast<void>(gondwana::trace::decode(bytes));
  return 0;
}
