#include "modules/perfetto/perfetto.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "modules/perfetto/perfetto.pb.h"

namespace gondwana::perfetto {
namespace {

// Numbers for repeated texts, each of which is written once.
class Interned {
 public:
  // Appends a new text to `list`.
  template <typename MakeList>
  std::uint64_t number_of(std::string_view text, const MakeList& list) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    const std::uint64_t number = numbers_.size() + 1;
    numbers_.emplace(text, number);
    format::InternedName* name = list()->Add();
    name->set_number(number);
    name->set_name(std::string(text));
    return number;
  }

 private:
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
};

class PerfettoWriter final : public TraceWriter {
 public:
  explicit PerfettoWriter(int file) : stream_(file) {
    packet_.set_sequence(sequence);
    packet_.set_sequence_flags(clears_incremental_state);
    write();
  }

  void add_process(std::uint64_t track, const ProcessTrack& process) override {
    packet_.mutable_track()->set_number(track);
    format::Process& described = *packet_.mutable_track()->mutable_process();
    described.set_number(static_cast<std::int32_t>(process.process));
    described.set_name(std::string(process.name));
    if (!process.program.empty()) described.add_command(std::string(process.program));
    write();
  }

  void add_thread(std::uint64_t track, const ThreadTrack& thread) override {
    packet_.mutable_track()->set_number(track);
    format::Thread& described = *packet_.mutable_track()->mutable_thread();
    described.set_process(static_cast<std::int32_t>(thread.process));
    described.set_number(static_cast<std::int32_t>(thread.thread));
    if (!thread.name.empty()) described.set_name(std::string(thread.name));
    write();
  }

  void begin(const Mark& mark) override { add(mark, format::TrackEvent::slice_begin); }
  void at_once(const Mark& mark) override { add(mark, format::TrackEvent::instant); }

  void end(std::uint64_t track, std::uint64_t time_ns) override {
    packet_.set_time(time_ns);
    packet_.mutable_track_event()->set_type(format::TrackEvent::slice_end);
    packet_.mutable_track_event()->set_track(track);
    write();
  }

  Result<void> finish() override {
    stream_.Flush();
    if (stream_.GetErrno() == 0) return {};
    return Error{Errc::refused, std::strerror(stream_.GetErrno())};
  }

 private:
  static constexpr std::uint32_t sequence = 1;
  static constexpr std::uint32_t clears_incremental_state = 1;
  static constexpr std::uint32_t names_are_needed = 2;

  void add(const Mark& mark, format::TrackEvent::Type type) {
    format::TrackEvent& event = *packet_.mutable_track_event();
    packet_.set_time(mark.time_ns);
    packet_.set_sequence_flags(names_are_needed);
    event.set_type(type);
    event.set_track(mark.track);
    const auto interned = [this] { return packet_.mutable_interned(); };
    event.set_name(events_.number_of(mark.name, [&] { return interned()->mutable_events(); }));
    event.add_categories(
        categories_.number_of(mark.category, [&] { return interned()->mutable_categories(); }));
    for (const Argument& argument : mark.arguments) {
      format::Argument& written = *event.add_arguments();
      written.set_name(
          arguments_.number_of(argument.name, [&] { return interned()->mutable_arguments(); }));
      if (const auto* number = std::get_if<std::uint64_t>(&argument.value))
        written.set_number(*number);
      else
        written.set_text(std::string(std::get<std::string_view>(argument.value)));
    }
    for (const std::uint64_t flow : mark.flows_out) event.add_flows(flow);
    for (const std::uint64_t flow : mark.flows_in) event.add_ending_flows(flow);
    write();
  }

  // A trace is a message whose repeated field 1 contains the packets.
  void write() {
    constexpr std::uint32_t field_1_with_length = 1 << 3 | 2;
    packet_.set_sequence(sequence);
    google::protobuf::io::CodedOutputStream out(&stream_);
    out.WriteTag(field_1_with_length);
    out.WriteVarint32(static_cast<std::uint32_t>(packet_.ByteSizeLong()));
    packet_.SerializeWithCachedSizes(&out);
    packet_.Clear();
  }

  google::protobuf::io::FileOutputStream stream_;
  format::Packet packet_;
  Interned categories_;
  Interned events_;
  Interned arguments_;
};

}  // namespace
}  // namespace gondwana::perfetto

extern "C" __attribute__((visibility("default"))) void gondwana_perfetto_writer(
    int file, std::unique_ptr<gondwana::perfetto::TraceWriter>* writer) {
  *writer = std::make_unique<gondwana::perfetto::PerfettoWriter>(file);
}
