#include "bootstrap/pmix/client.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pmix.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include "core/signals.hpp"
#include "core/static_program.hpp"

namespace gondwana {
namespace {

std::string key_of(Round round) {
  return "gondwana." + name_of(round);
}

// The calls that we need, by their names in the library.
struct Library {
  decltype(&PMIx_Init) init = nullptr;
  decltype(&PMIx_Finalize) finalize = nullptr;
  decltype(&PMIx_Put) put = nullptr;
  decltype(&PMIx_Commit) commit = nullptr;
  decltype(&PMIx_Fence_nb) begin_fence = nullptr;
  decltype(&PMIx_Get) get = nullptr;
  decltype(&PMIx_Abort) abort = nullptr;
  decltype(&PMIx_Error_string) describe = nullptr;
  decltype(&PMIx_Get_version) version = nullptr;
};

// Tries the loader's search path first, then the library's place at build time.
void* open_library() {
  constexpr int flags = RTLD_NOW | RTLD_LOCAL;
  if (void* found = ::dlopen("libpmix.so.2", flags); found != nullptr) return found;
  return ::dlopen(GONDWANA_PMIX_FOLDER "/libpmix.so.2", flags);
}

// Stays loaded: a library that had threads should never be unloaded.
Result<Library> load_library() {
  if (is_static_program())
    return Error{
        Errc::missing,
        "a statically linked executable cannot load the PMIx library; link it without -static"};
  void* handle = open_library();
  if (handle == nullptr) {
    return Error{Errc::missing, fmt::format("the PMIx library cannot be loaded ({}); install it "
                                            "(libpmix2 on Debian) or put it on LD_LIBRARY_PATH",
                                            ::dlerror())};
  }
  Library library;
  const char* absent = nullptr;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) absent = name;
  };
  find(library.init, "PMIx_Init");
  find(library.finalize, "PMIx_Finalize");
  find(library.put, "PMIx_Put");
  find(library.commit, "PMIx_Commit");
  find(library.begin_fence, "PMIx_Fence_nb");
  find(library.get, "PMIx_Get");
  find(library.abort, "PMIx_Abort");
  find(library.describe, "PMIx_Error_string");
  find(library.version, "PMIx_Get_version");
  if (absent != nullptr)
    return Error{Errc::missing, fmt::format("the PMIx library has no {}", absent)};
  return library;
}

// The result of a fence, set by a thread of the library. Both sides own it: the thread may set it
// after the wait has ended.
struct FenceEnd {
  std::mutex mutex;
  std::condition_variable told;
  std::optional<pmix_status_t> status;  // guarded by the mutex
};

void on_fence_ended(pmix_status_t status, void* data) {
  const std::unique_ptr<std::shared_ptr<FenceEnd>> end(
      static_cast<std::shared_ptr<FenceEnd>*>(data));
  const std::scoped_lock lock((*end)->mutex);
  (*end)->status = status;
  (*end)->told.notify_all();
}

using Value = std::unique_ptr<pmix_value_t, decltype(&std::free)>;

}  // namespace

struct Pmix::Session {
  Library library;
  pmix_proc_t self{};
  std::uint32_t size = 0;

  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (is_open) library.finalize(nullptr, 0);
  }
  bool is_open = false;

  pmix_proc_t process(pmix_rank_t rank) const {
    pmix_proc_t result = self;
    result.rank = rank;
    return result;
  }

  Error error(std::string_view what, pmix_status_t status) const {
    return {Errc::peer_lost, fmt::format("{} through PMIx: {}", what, library.describe(status))};
  }

  // The caller owns its strings, too.
  Result<Value> get(pmix_rank_t of_rank, const char* key, std::string_view what) const {
    const pmix_proc_t process_asked = process(of_rank);
    pmix_value_t* value = nullptr;
    const pmix_status_t status = library.get(&process_asked, key, nullptr, 0, &value);
    if (status != PMIX_SUCCESS) return error(what, status);
    return Value(value, &std::free);
  }

  Result<void> open() {
    const SignalsBlocked during_the_start;
    if (const pmix_status_t status = library.init(&self, nullptr, 0); status != PMIX_SUCCESS)
      return error("cannot reach the launcher", status);
    is_open = true;
    const Result<Value> number =
        get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, "cannot get the size of the job");
    if (!number) return number.error();
    if ((*number)->type != PMIX_UINT32 || (*number)->data.uint32 == 0)
      return Error{Errc::malformed, "PMIx returned no number for the size of the job"};
    size = (*number)->data.uint32;
    return {};
  }
};

Pmix::Pmix(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Pmix::Pmix(Pmix&& other) noexcept = default;
Pmix& Pmix::operator=(Pmix&& other) noexcept = default;
Pmix::~Pmix() = default;

Result<Pmix> Pmix::open() {
  Result<Library> library = load_library();
  if (!library) return library.error();
  auto session = std::make_unique<Session>();
  session->library = *library;
  if (const Result<void> opened = session->open(); !opened) return opened.error();
  return Pmix(std::move(session));
}

std::uint32_t Pmix::rank() const {
  return session_->self.rank;
}

std::uint32_t Pmix::size() const {
  return session_->size;
}

std::string_view Pmix::job() const {
  return session_->self.nspace;
}

Result<void> Pmix::put(Round round, std::string_view value) {
  std::string text(value);
  pmix_value_t entry{};
  entry.type = PMIX_STRING;
  entry.data.string = text.data();
  pmix_status_t status = session_->library.put(PMIX_GLOBAL, key_of(round).c_str(), &entry);
  if (status == PMIX_SUCCESS) status = session_->library.commit();
  if (status != PMIX_SUCCESS)
    return session_->error("cannot publish the data of this rank", status);
  return {};
}

Result<bool> Pmix::fence(const Deadline& deadline) {
  const pmix_proc_t all_ranks = session_->process(PMIX_RANK_WILDCARD);
  pmix_info_t collect{};
  std::strncpy(collect.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
  collect.value.type = PMIX_BOOL;
  collect.value.data.flag = true;

  const auto end = std::make_shared<FenceEnd>();
  auto for_the_thread = std::make_unique<std::shared_ptr<FenceEnd>>(end);
  const pmix_status_t begun = session_->library.begin_fence(&all_ranks, 1, &collect, 1,
                                                            on_fence_ended, for_the_thread.get());
  if (begun != PMIX_SUCCESS) return session_->error("cannot wait for the other ranks", begun);
  [[maybe_unused]] const void* theirs = for_the_thread.release();

  std::unique_lock lock(end->mutex);
  const bool ended = end->told.wait_for(lock, std::chrono::milliseconds(deadline.left_ms()),
                                        [&] { return end->status.has_value(); });
  if (!ended) return false;
  if (*end->status != PMIX_SUCCESS)
    return session_->error("cannot wait for the other ranks", *end->status);
  return true;
}

Result<std::string> Pmix::get(Round round, std::uint32_t of_rank) {
  const Result<Value> value = session_->get(of_rank, key_of(round).c_str(),
                                            fmt::format("cannot get the data of rank {}", of_rank));
  if (!value) return value.error();
  if ((*value)->type != PMIX_STRING || (*value)->data.string == nullptr)
    return Error{Errc::malformed, fmt::format("PMIx returned no text for rank {}", of_rank)};
  const std::unique_ptr<char, decltype(&std::free)> text((*value)->data.string, &std::free);
  return std::string(text.get());
}

Result<void> Pmix::abort(int status) {
  const pmix_status_t aborted =
      session_->library.abort(status, "the program ends the job", nullptr, 0);
  if (aborted != PMIX_SUCCESS) return session_->error("cannot end the job", aborted);
  return {};
}

void Pmix::finish() {
  session_.reset();
}

Result<PmixLibrary> find_pmix_library() {
  const Result<Library> library = load_library();
  if (!library) return library.error();
  Dl_info place{};
  ::dladdr(reinterpret_cast<const void*>(library->init), &place);
  // "OpenPMIx 4.2.2 (PMIx Standard: 4.2, ..."
  std::string version = library->version();
  version.resize(std::min({version.size(), version.find(" ("), version.find(',')}));
  return PmixLibrary{place.dli_fname != nullptr ? place.dli_fname : "", std::move(version)};
}

}  // namespace gondwana
