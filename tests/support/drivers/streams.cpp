#include "support/drivers/streams.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace standin {

namespace {

thread_local int capture_mode = 0;

}  // namespace

bool Capture::end() {
  is_on_ = false;
  return !std::exchange(is_ended_, false);
}

int Capture::exchange_mode(int mode) {
  return std::exchange(capture_mode, mode);
}

int Capture::check() {
  constexpr int unsupported = 900;
  if (!is_on_ || capture_mode == 2) return 0;
  is_ended_ = true;
  return unsupported;
}

Capture& capture() {
  static auto& one = *new Capture;
  return one;
}

Streams& streams() {
  static auto& one = *new Streams;
  return one;
}

Stream* Streams::make_stream(int device) {
  auto* made = new Stream{device};
  streams_.insert(made);
  return made;
}

Stream* Streams::stream(const char* call, void* handle) const {
  if (!streams_.contains(handle)) give_up(call, "that is no stream");
  return static_cast<Stream*>(handle);
}

void Streams::destroy_stream(const char* call, void* handle) {
  Stream* gone = stream(call, handle);
  if (!gone->work.empty()) give_up(call, "copies of the stream were not waited for");
  streams_.erase(handle);
  delete gone;
}

Event* Streams::make_event() {
  auto* made = new Event;
  events_.insert(made);
  return made;
}

Event* Streams::event(const char* call, void* handle) const {
  if (!events_.contains(handle)) give_up(call, "that is no event");
  return static_cast<Event*>(handle);
}

void Streams::destroy_event(const char* call, void* handle) {
  Event* gone = event(call, handle);
  events_.erase(handle);
  delete gone;
}

void Streams::begin(const char* call, void* handle, const Stream::Work& work) const {
  Stream& into = *stream(call, handle);
  const bool is_device = memory().find(call, work.to) != nullptr;
  memory().place(call, work.to, work.size);
  if (work.from != nullptr) memory().place(call, work.from, work.size);
  if (!is_device && (work.from == nullptr || memory().find(call, work.from) == nullptr))
    give_up(call, "neither side is memory of a device");
  into.work.push_back(work);
  ++into.begun;
}

void Streams::record(const char* call, void* handle, void* of) const {
  Stream* recorded = stream(call, of);
  *event(call, handle) = {recorded, recorded->begun};
}

void Streams::wait_for_stream(const char* call, void* handle) const {
  Stream& waited = *stream(call, handle);
  carry_out(waited, waited.begun);
}

void Streams::wait_for_event(const char* call, void* handle) const {
  const Event& waited = *event(call, handle);
  if (waited.stream == nullptr) give_up(call, "the event was never recorded");
  carry_out(*stream(call, waited.stream), waited.after);
}

bool Streams::has_passed(const char* call, void* handle) const {
  const Event& asked = *event(call, handle);
  if (asked.stream == nullptr) give_up(call, "the event was never recorded");
  Stream& at = *stream(call, asked.stream);
  if (at.done < asked.after) carry_out(at, at.done + 1);
  return at.done >= asked.after;
}

void Streams::carry_out(Stream& stream, std::uint64_t until) {
  for (; stream.done < until; ++stream.done, stream.work.pop_front()) {
    const Stream::Work& work = stream.work.front();
    std::byte* to = memory().place(work.call, work.to, work.size);
    if (work.from == nullptr)
      std::memset(to, work.value, work.size);
    else
      std::memmove(to, memory().place(work.call, work.from, work.size), work.size);
  }
}

}  // namespace standin

// Not a driver call: returns whether nothing has ended the capture.
extern "C" int standinCapture(int begins) {  // NOLINT(readability-identifier-naming)
  const std::scoped_lock held(standin::lock());
  if (begins == 0) return standin::capture().end() ? 1 : 0;
  standin::capture().begin();
  return 1;
}
