// What the libraries that stand in for drivers of vendors have in common: devices that are none,
// with memory that the processor may not touch. They are strict: a wrong call is an abort that says
// why, where a true driver would return an error, or do something.
//
//   STANDIN_DEVICES=2                how many devices there are
//   STANDIN_FAIL=cuMemAlloc_v2:2:3   the call returns 2 from its fourth time on; commas divide more
//   STANDIN_LEAKS=abort              what is left at exit is an abort
//   STANDIN_ENDS=early               the driver ends as the first thing at exit, as CUDA's may
//   STANDIN_CLIENT=yes               the program calls the driver, too, and less strictly: handles
//                                    of CUDA's devices are ordinals, threads may end with contexts,
//                                    and streams and events end in whatever context. Addresses that
//                                    were freed come back, as true drivers do
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace standin {

// Prints the name of the library, the call and the reason, and aborts.
[[noreturn]] void give_up(const std::string& call, const std::string& why);

// The status that STANDIN_FAIL requests for this call; 0: none.
int injected(const char* call);
int device_count();
bool has_variable(const char* name, const char* value);
bool has_client();

// What a process needs to map memory of another: at most 64 bytes.
struct Handle {
  std::uint64_t magic;
  std::uint64_t process;
  std::uint64_t descriptor;
  std::uint64_t file;
  std::uint64_t size;
  std::uint64_t device;
};

struct Block {
  std::byte* shown;    // address without access
  std::byte* backing;  // address of the same bytes
  std::size_t size;
  int device;
  int file = -1;             // of an allocation
  std::uint64_t number = 0;  // number of the file
  std::uint32_t opened = 0;  // number of times; 0: allocated here
  // The number of processes that have it open. It follows the bytes, so that all processes see it.
  // Null: not counted.
  std::atomic<std::uint32_t>* openers = nullptr;
  bool is_gone = false;  // its addresses are not reused, except for a client
  // Of CUDA:
  bool is_of_pool = false;
  bool is_synchronous = false;  // has the attribute SYNC_MEMOPS
  bool is_denied = false;       // mapped, but no device may use it yet
  int types = 0;                // of handles, for mapped memory
  std::byte* range = nullptr;   // the range in which it is mapped; null: allocated
  std::size_t range_size = 0;
};

// Callers hold lock().
class Memory {
 public:
  static constexpr std::size_t of_each_device = std::size_t{1} << 30;

  // Null if there is not enough left.
  std::byte* allocate(int device, std::size_t size);
  // Gives up if another process has it open.
  void release(const char* call, const void* address);
  // The block that contains the address; null: host memory. Gives up if the block was freed;
  // without `call` it returns null then.
  const Block* find(const char* call, const void* address) const;
  // The address of the bytes, on a device or on the host.
  std::byte* place(const char* call, const void* address, std::size_t size) const;

  Handle share(const char* call, const void* address) const;
  // `here`: the descriptor, if the caller has already received it in this process.
  std::byte* open(const char* call, const Handle& handle, int here = -1);
  void close(const char* call, const void* address);

  // Makes pages of a file a block, at the address.
  void map(std::byte* at, Block block, int file);
  void unmap(const char* call, std::byte* at, std::size_t size);
  // The block, so that its attributes can be changed.
  Block& block(const char* call, const void* address);

  // Pins host memory. Returns false if some of it is pinned already.
  bool pin(const char* call, const void* address, std::size_t size);
  void unpin(const char* call, const void* address);
  bool is_pinned(const void* address) const;

  std::size_t blocks() const;  // blocks that have not been freed or closed
  // The same, plus pinned memory.
  std::size_t left() const { return blocks() + pinned_.size(); }

 private:
  std::byte* add(Block block, int file);
  std::byte* free_place(std::size_t size) const;

  std::map<std::uintptr_t, Block> blocks_;     // by the end of the visible range
  std::map<int, std::size_t> used_;            // by device
  std::map<const void*, const void*> pinned_;  // by end; the value is the start
};

Memory& memory();
std::recursive_mutex& lock();

}  // namespace standin
