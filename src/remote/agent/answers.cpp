// Sends the answers of a node agent. Each client has a queue; all share a limit of bytes that wait
// for the network.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <utility>

#include "operations/copy.hpp"
#include "remote/agent/implementation.hpp"

namespace gondwana {
namespace {

using network::Peer;
using remote::Reply;
using remote::Row;

// Limits of the bytes that wait for the network: to one rank, and to all. One always may.
constexpr std::size_t most_leaving_to_one = 256 * 1024;
constexpr std::size_t most_leaving = 64 * 1024 * 1024;

}  // namespace

void NodeAgent::Implementation::answer(std::uint32_t from, Answer answer) {
  Client& client = clients_[from];
  if (client.peer == network::no_peer) return;  // no hello has come
  answer.reply.tag = tag_;
  answer.reply.to = remote::number_of(from, client.incarnation);
  answer.reply.node = memory_->plan().node;
  for (const Part& part : answer.parts) answer.reply.size += part.size();
  if (client.answers.empty()) to_answer_.push_back(from);
  client.answers.push_back(std::move(answer));
}

// A client that does not take its answers does not delay other clients.
void NodeAgent::Implementation::send_answers() {
  for (const std::uint32_t from : owed_) {
    Client& client = clients_[from];
    if (client.owed) answer(from, {.reply = {.number = client.done}});
    client.owed = false;
  }
  owed_.clear();
  std::erase_if(to_answer_, [this](std::uint32_t to) { return send_answers_to(to); });
}

// False: some answers wait. Answers to a process that is gone are dropped.
bool NodeAgent::Implementation::send_answers_to(std::uint32_t number) {
  Client& client = clients_[number];
  for (; !client.answers.empty(); client.answers.pop_front()) {
    const Answer& next = client.answers.front();
    const Result<Posted> sent = next.parts.empty()
                                    ? endpoint_->inject(client.peer, remote::bytes_of(next.reply))
                                    : send_results(number, next);
    if (sent && *sent == Posted::busy) return false;
  }
  return true;
}

Result<Posted> NodeAgent::Implementation::send_results(std::uint32_t number, const Answer& answer) {
  const std::size_t size = sizeof(Reply) + answer.reply.size;
  const Client& client = clients_[number];
  if (size <= endpoint_->most_injected()) {
    injected_.resize(std::max(injected_.size(), size));
    pack(answer, injected_.data());
    return endpoint_->inject(client.peer, Bytes(injected_).first(size));
  }
  if (!has_room(client, size)) return Posted::busy;
  SendBuffer& buffer = take_buffer(number, size);
  pack(answer, buffer.bytes.data());
  return send(client.peer, buffer);
}

bool NodeAgent::Implementation::has_room(const Client& client, std::size_t size) const {
  return client.leaving == 0 ||
         (client.leaving + size <= most_leaving_to_one && leaving_ + size <= most_leaving);
}

// Packs what the memory holds now, after all earlier requests.
void NodeAgent::Implementation::pack(const Answer& answer, std::byte* message) {
  message = remote::write(message, answer.reply);
  std::atomic_thread_fence(std::memory_order_acquire);
  for (const Part& part : answer.parts) {
    const Row& row = part.row;
    if (row.count == 0)
      std::memcpy(message, &part.word, sizeof(part.word));
    else if (part.at.is_arena())
      copy_pieces({message, std::ptrdiff_t{row.size}},
                  {memory_->window(part.at.rank) + row.offset, row.step}, row.size, row.count);
    else
      spaces_.read(part.at, row, message);
    message += part.size();
  }
}

// Whether its answers are blocked with no completion to retry on.
bool NodeAgent::Implementation::is_stuck(std::uint32_t number) const {
  return clients_.at(number).leaving == 0;
}

// Messages to other agents do not count: if a node is gone, they may never leave.
bool NodeAgent::Implementation::has_answers() const {
  const auto is_waited_for = [](const auto& each) {
    return !remote::is_agent(each.first) && each.second.leaving > 0;
  };
  return !to_answer_.empty() || !to_pass_.empty() || std::ranges::any_of(clients_, is_waited_for);
}

NodeAgent::Implementation::SendBuffer& NodeAgent::Implementation::take_buffer(std::uint32_t to,
                                                                              std::size_t size,
                                                                              BatchSlot* slot) {
  if (free_buffers_.empty()) free_buffers_.push_back(&buffers_.emplace_back());
  SendBuffer& buffer = *free_buffers_.back();
  free_buffers_.pop_back();
  buffer.to = to;
  buffer.size = size;
  buffer.is_carried = false;
  buffer.slot = slot;
  if (slot == nullptr) endpoint_->make_room(buffer.bytes, size);
  return buffer;
}

Result<Posted> NodeAgent::Implementation::send(Peer peer, SendBuffer& buffer) {
  Result<Posted> sent = endpoint_->send(peer, buffer.message(), buffer);
  if (sent && *sent == Posted::accepted) {
    leaving_ += buffer.size;
    clients_[buffer.to].leaving += buffer.size;
    if (buffer.is_carried) ++carrying_;
  } else {
    free_buffers_.push_back(&buffer);
  }
  return sent;
}

void NodeAgent::Implementation::has_left(SendBuffer& buffer) {
  leaving_ -= buffer.size;
  clients_[buffer.to].leaving -= buffer.size;
  if (buffer.is_carried) --carrying_;
  if (buffer.slot != nullptr) buffer.slot->state.clear();
  free_buffers_.push_back(&buffer);
}

void NodeAgent::Implementation::has_failed(const network::Operation* operation,
                                           const std::string& why) {
  const auto failed = std::ranges::find_if(
      buffers_, [operation](const SendBuffer& each) { return &each == operation; });
  if (failed == buffers_.end()) return;
  if (failed->is_carried) lose(remote::node_of_agent(failed->to), NodeState::cut_off);
  if (memory_->roster().is_here(Rank(failed->to))) tell_undelivered(failed->to, why);
  has_left(*failed);
}

}  // namespace gondwana
