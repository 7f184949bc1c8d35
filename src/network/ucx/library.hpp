// UCX, loaded if a job has several nodes and uses it. Each member is one function of the library.
#pragma once

#include <ucp/api/ucp.h>

#include "core/result.hpp"

namespace gondwana::ucx {

class Library {
 private:
  struct Found {
    void* symbol;
    template <typename Function>
    operator Function*() const {  // NOLINT: it is what its name says
      return reinterpret_cast<Function*>(symbol);
    }
  };
  Found find(const char* name);

  void* handle_;
  const char* absent_ = nullptr;

 public:
  explicit Library(void* handle) : handle_(handle) {}

  const char* absent() const { return absent_; }  // a function that this UCX lacks

  decltype(&ucp_get_version) get_version = find("ucp_get_version");
  decltype(&ucp_config_read) config_read = find("ucp_config_read");
  decltype(&ucp_config_modify) config_modify = find("ucp_config_modify");
  decltype(&ucp_config_release) config_release = find("ucp_config_release");
  decltype(&ucp_init_version) init_version = find("ucp_init_version");
  decltype(&ucp_cleanup) cleanup = find("ucp_cleanup");
  decltype(&ucp_worker_create) worker_create = find("ucp_worker_create");
  decltype(&ucp_worker_destroy) worker_destroy = find("ucp_worker_destroy");
  decltype(&ucp_worker_get_address) worker_get_address = find("ucp_worker_get_address");
  decltype(&ucp_worker_release_address) worker_release_address = find("ucp_worker_release_address");
  decltype(&ucp_worker_get_efd) worker_get_efd = find("ucp_worker_get_efd");
  decltype(&ucp_worker_arm) worker_arm = find("ucp_worker_arm");
  decltype(&ucp_worker_progress) worker_progress = find("ucp_worker_progress");
  decltype(&ucp_worker_flush_nbx) worker_flush = find("ucp_worker_flush_nbx");
  decltype(&ucp_worker_set_am_recv_handler) set_receiver = find("ucp_worker_set_am_recv_handler");
  decltype(&ucp_ep_create) ep_create = find("ucp_ep_create");
  decltype(&ucp_ep_close_nbx) ep_close = find("ucp_ep_close_nbx");
  decltype(&ucp_ep_flush_nbx) ep_flush = find("ucp_ep_flush_nbx");
  decltype(&ucp_ep_rkey_unpack) rkey_unpack = find("ucp_ep_rkey_unpack");
  decltype(&ucp_rkey_pack) rkey_pack = find("ucp_rkey_pack");
  decltype(&ucp_rkey_buffer_release) rkey_buffer_release = find("ucp_rkey_buffer_release");
  decltype(&ucp_rkey_destroy) rkey_destroy = find("ucp_rkey_destroy");
  decltype(&ucp_mem_map) mem_map = find("ucp_mem_map");
  decltype(&ucp_mem_unmap) mem_unmap = find("ucp_mem_unmap");
  decltype(&ucp_am_send_nbx) am_send = find("ucp_am_send_nbx");
  decltype(&ucp_put_nbx) put = find("ucp_put_nbx");
  decltype(&ucp_get_nbx) get = find("ucp_get_nbx");
  decltype(&ucp_request_check_status) request_check_status = find("ucp_request_check_status");
  decltype(&ucp_request_free) request_free = find("ucp_request_free");
  decltype(&ucs_status_string) status_string = find("ucs_status_string");
};

// Returns the same library for the life of the process.
Result<const Library*> load_library();

}  // namespace gondwana::ucx
