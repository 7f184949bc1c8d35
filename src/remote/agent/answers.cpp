#include "remote/agent/answers.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace gondwana::remote {

void Answers::meet(std::uint32_t process, std::uint32_t incarnation) {
  Process& met = processes_[process];
  met.incarnation = incarnation;
  met.answers.clear();
}

void Answers::owe(std::uint32_t process, std::uint32_t batch) {
  Process& owed = processes_[process];
  owed.done = batch;
  if (!owed.is_owed) owed_.push_back(process);
  owed.is_owed = true;
}

void Answers::answer(std::uint32_t process, std::uint32_t batch, std::vector<ResultPart> results) {
  Process& to = processes_[process];
  to.done = batch;
  to.is_owed = false;
  add(process, to, std::move(results));
}

void Answers::add(std::uint32_t number, Process& process, std::vector<ResultPart> results) {
  if (!outbox_.has_met(number)) return;  // no hello received yet
  Reply reply{.tag = tag_,
              .to = number_of(number, process.incarnation),
              .node = node_,
              .number = process.done};
  for (const ResultPart& part : results) reply.size += part.size();
  if (process.answers.empty()) waiting_.push_back(number);
  process.answers.push_back({reply, std::move(results)});
}

void Answers::send() {
  for (const std::uint32_t number : owed_) {
    Process& process = processes_[number];
    if (std::exchange(process.is_owed, false)) add(number, process, {});
  }
  owed_.clear();
  std::erase_if(waiting_, [this](std::uint32_t number) { return send_to(number); });
}

// False: some replies still wait. Replies to a process that is gone are dropped.
bool Answers::send_to(std::uint32_t number) {
  std::list<Answer>& answers = processes_[number].answers;
  for (; !answers.empty(); answers.pop_front()) {
    const Result<Posted> sent = send(number, answers.front());
    if (sent && *sent == Posted::busy) return false;
  }
  return true;
}

// A result is the content of the memory at this moment, after all earlier requests.
Result<Posted> Answers::send(std::uint32_t number, const Answer& answer) {
  if (answer.results.empty()) return outbox_.inject(number, bytes_of(answer.reply));
  return outbox_.send(number, sizeof(Reply) + answer.reply.size, [&](std::byte* message) {
    message = write(message, answer.reply);
    std::atomic_thread_fence(std::memory_order_acquire);
    for (const ResultPart& part : answer.results) {
      executor_.pack(part, message);
      message += part.size();
    }
  });
}

bool Answers::are_stuck() const {
  return std::ranges::any_of(waiting_, [this](auto to) { return !outbox_.is_leaving(to); });
}

}  // namespace gondwana::remote
