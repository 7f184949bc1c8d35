// The operations that an endpoint over UCX posts, and their completions.
#include <algorithm>
#include <utility>

#include "network/ucx/endpoint.hpp"

namespace gondwana::ucx {
namespace {
// The endpoint that posted an operation, stored in the operation's room.
Endpoint*& owner_of(Operation& operation) {
  return *reinterpret_cast<Endpoint**>(operation.room.data());
}

}  // namespace

// Drops messages of unknown processes: longer than any of this job, or with their bytes still at
// the sender.
ucs_status_t Endpoint::take(Bytes message, bool is_here) {
  if (handlers_ == nullptr) return UCS_OK;
  if (is_here && message.size() <= longest_)
    handlers_->on_message(message);
  else
    refuse();
  return UCS_OK;
}

Result<Posted> Endpoint::inject(Peer to, Bytes message) {
  const Result<Line*> line = connect(to);
  if (!line) return line.error();
  if (injected_.in_use() >= max_in_flight) return Posted::busy;
  Injected& injected = injected_.take();
  injected.owner = this;
  std::ranges::copy(message, injected.bytes.begin());
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                       UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  param.user_data = &injected;
  param.cb.send = [](void* request, ucs_status_t, void* data) {
    auto& done = *static_cast<Injected*>(data);
    done.owner->injected_.give_back(done);
    done.owner->library_.request_free(request);
  };
  const ucs_status_ptr_t request = library_.am_send((*line)->endpoint, message_id, nullptr, 0,
                                                    injected.bytes.data(), message.size(), &param);
  if (!UCS_PTR_IS_PTR(request)) injected_.give_back(injected);
  if (UCS_PTR_IS_ERR(request)) return error_of("send", UCS_PTR_STATUS(request));
  return Posted::accepted;
}

ucp_request_param_t Endpoint::param_for(Operation& operation) {
  owner_of(operation) = this;
  ucp_request_param_t param{};
  param.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  param.user_data = &operation;
  param.cb.send = [](void* request, ucs_status_t status, void* data) {
    auto& done = *static_cast<Operation*>(data);
    Endpoint& owner = *owner_of(done);
    owner.pending_.finish(done, status);
    owner.library_.request_free(request);
  };
  return param;
}

// A null request means that the operation has completed.
Result<Posted> Endpoint::accept(Operation& operation, const char* what, ucs_status_ptr_t request) {
  if (UCS_PTR_IS_ERR(request)) return error_of(what, UCS_PTR_STATUS(request));
  pending_.begin();
  if (request == nullptr) pending_.finish(operation, UCS_OK);
  return Posted::accepted;
}

Result<Posted> Endpoint::send(Peer to, Bytes message, Operation& operation) {
  const Result<Line*> line = connect(to);
  if (!line) return line.error();
  if (is_full()) return Posted::busy;
  ucp_request_param_t param = param_for(operation);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  return accept(operation, "send",
                library_.am_send((*line)->endpoint, message_id, nullptr, 0, message.data(),
                                 message.size(), &param));
}

Result<Posted> Endpoint::read(const Region& from, std::uint64_t offset, MutableBytes target,
                              Operation& operation) {
  const Result<Line*> line = connect(from.peer);
  if (!line) return line.error();
  if (is_full()) return Posted::busy;
  const ucp_request_param_t param = param_for(operation);
  return accept(
      operation, "get",
      library_.get((*line)->endpoint, target.data(), target.size(), from.words[0] + offset,
                   reinterpret_cast<ucp_rkey_h>(from.words[1]), &param));
}

// The put's own request is used only if it fails, because a flush reports the completion.
Result<Posted> Endpoint::write(const Region& to, std::uint64_t offset, Bytes source,
                               Operation& operation) {
  const Result<Line*> line = connect(to.peer);
  if (!line) return line.error();
  if (is_full()) return Posted::busy;
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  const ucs_status_ptr_t request =
      library_.put((*line)->endpoint, source.data(), source.size(), to.words[0] + offset,
                   reinterpret_cast<ucp_rkey_h>(to.words[1]), &param);
  if (UCS_PTR_IS_ERR(request)) return error_of("put", UCS_PTR_STATUS(request));
  if (request != nullptr) library_.request_free(request);
  pending_.begin();
  (*line)->written.push_back(&operation);
  if ((*line)->flushing.empty()) flush(**line);
  return Posted::accepted;
}

void Endpoint::flush(Line& line) {
  std::swap(line.written, line.flushing);
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.user_data = &line;
  param.cb.send = [](void* request, ucs_status_t status, void* data) {
    auto& flushed = *static_cast<Line*>(data);
    flushed.owner->end_flush(flushed, status);
    flushed.owner->library_.request_free(request);
  };
  const ucs_status_ptr_t request = library_.ep_flush(line.endpoint, &param);
  if (!UCS_PTR_IS_PTR(request)) end_flush(line, UCS_PTR_RAW_STATUS(request));
}

void Endpoint::end_flush(Line& line, ucs_status_t status) {
  for (Operation* operation : line.flushing) pending_.finish(*operation, status);
  line.flushing.clear();
  if (!line.written.empty()) flush(line);
}

std::size_t Endpoint::poll(const Handlers& handlers) {
  handlers_ = &handlers;
  const std::size_t found = library_.worker_progress(worker_);
  handlers_ = nullptr;
  return found + pending_.report([&](Operation& operation, ucs_status_t status) {
    if (status == UCS_OK)
      handlers.on_done(operation);
    else
      handlers.on_failed(&operation, library_.status_string(status));
  });
}

bool Endpoint::may_sleep() {
  return wait_descriptor_ >= 0 && !pending_.has_ended() && library_.worker_arm(worker_) == UCS_OK;
}

}  // namespace gondwana::ucx
