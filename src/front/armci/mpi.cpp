// The only code that depends on MPI.
//
// The MPI functions are weak symbols: null in a process without MPI. Implementations differ in the
// type of a communicator (an int in MPICH and its derivatives, a pointer in Open MPI) and in a few
// constants. Thread levels and the results of comparisons are the same.
#include "front/armci/mpi.hpp"

#include <array>
#include <cstring>
#include <string_view>

#include "front/armci/process_door.hpp"

// NOLINTBEGIN(readability-identifier-naming): MPI chose the names
extern "C" {
[[gnu::weak]] void MPI_Init();
[[gnu::weak]] void MPI_Initialized();
[[gnu::weak]] void MPI_Finalize();
[[gnu::weak]] void MPI_Finalized();
[[gnu::weak]] void MPI_Get_library_version();
[[gnu::weak]] void MPI_Query_thread();
[[gnu::weak]] void MPI_Is_thread_main();
[[gnu::weak]] void MPI_Iprobe();
[[gnu::weak]] void MPI_Comm_rank();
[[gnu::weak]] void MPI_Comm_size();
[[gnu::weak]] void MPI_Comm_compare();
[[gnu::weak]] void MPI_Comm_dup();
[[gnu::weak]] void MPI_Comm_free();
[[gnu::weak]] void MPI_Comm_group();
[[gnu::weak]] void MPI_Comm_create_group();
[[gnu::weak]] void MPI_Group_incl();
[[gnu::weak]] void MPI_Group_free();
// Open MPI's MPI_COMM_WORLD and MPI_COMM_NULL.
[[gnu::weak]] extern char ompi_mpi_comm_world;
[[gnu::weak]] extern char ompi_mpi_comm_null;
}
// NOLINTEND(readability-identifier-naming)

namespace gondwana::armci {
namespace {

// MPI functions take ints, pointers and handles, so the arguments determine the types.
template <typename... Arguments>
int call_mpi(void (*function)(), Arguments... arguments) {
  return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}

struct OpenMpi {
  using Handle = void*;
  static Handle world() { return &ompi_mpi_comm_world; }
  static Handle null() { return &ompi_mpi_comm_null; }
  static void* no_status() { return nullptr; }
};
struct Mpich {
  using Handle = int;
  static Handle world() { return 0x44000000; }
  static Handle null() { return 0x04000000; }
  static void* no_status() { return reinterpret_cast<void*>(std::uintptr_t{1}); }
};

enum class Kind : std::uint8_t { none, open_mpi, mpich };

bool is_true(void (*question)()) {
  int answer = 0;
  call_mpi(question, &answer);
  return answer != 0;
}

Kind find_kind(CallName call) {
  if (&MPI_Initialized == nullptr) return Kind::none;
  if (&ompi_mpi_comm_world != nullptr) return Kind::open_mpi;
  std::array<char, 8192> version{};  // MPI_MAX_LIBRARY_VERSION_STRING of MPICH
  int length = 0;
  call_mpi(&MPI_Get_library_version, version.data(), &length);
  const std::string_view name = version.data();
  for (const std::string_view relative : {"MPICH", "MVAPICH", "Intel(R) MPI", "ParaStation"})
    if (name.find(relative) != name.npos) return Kind::mpich;
  give_up(call, fmt::format("the MPI of this process is \"{}\"; only Open MPI, and MPICH and its "
                            "derivatives, are supported",
                            name.substr(0, name.find('\n'))));
}

Kind kind(CallName call) {
  static const Kind found = find_kind(call);
  return found;
}

bool is_running(Kind kind) {
  return kind != Kind::none && is_true(&MPI_Initialized) && !is_true(&MPI_Finalized);
}

// The MPI of the current door: it was running when the door opened. None: the door does not use
// MPI.
constinit Kind used = Kind::none;
constinit int thread_level = 0;
constinit int own_rank = 0;

constexpr int level_funneled = 1;
constexpr int level_multiple = 3;

// The communicator occupies the first bytes of the handle, where programs read it.
template <typename Mpi>
void store(typename Mpi::Handle communicator, ARMCI_Group* handle) {
  static_assert(sizeof(communicator) <= sizeof(void*));
  handle->comm = nullptr;
  std::memcpy(static_cast<void*>(&handle->comm), static_cast<const void*>(&communicator),
              sizeof(communicator));
}
template <typename Mpi>
typename Mpi::Handle communicator_in(const ARMCI_Group* handle) {
  typename Mpi::Handle communicator;
  std::memcpy(static_cast<void*>(&communicator), static_cast<const void*>(&handle->comm),
              sizeof(communicator));
  return communicator;
}

// Whether the group contains all processes, in their order.
bool is_world(const Group& group) {
  for (std::uint32_t i = 0; i < group.size(); ++i)
    if (index(group.rank_of(i)) != i) return false;
  return group.size() == group.door().ranks();
}

template <typename Mpi>
void find_rank() {
  call_mpi(&MPI_Comm_rank, Mpi::world(), &own_rank);
}

template <typename Mpi>
void compare(CallName call, const Door& door) {
  int size = 0;
  call_mpi(&MPI_Comm_size, Mpi::world(), &size);
  if (static_cast<std::uint32_t>(size) == door.ranks() &&
      static_cast<std::uint32_t>(own_rank) == index(door.rank()))
    return;
  give_up(call, fmt::format("this is process {} of {} in MPI, but {} of {} in ARMCI; start the "
                            "program with the mpirun of its MPI, or with srun",
                            own_rank, size, index(door.rank()), door.ranks()));
}

template <typename Mpi>
void make(const Group& group, ARMCI_Group* handle) {
  using Handle = typename Mpi::Handle;
  Handle made = Mpi::null();
  if (is_world(group)) {
    call_mpi(&MPI_Comm_dup, Mpi::world(), &made);
  } else if (group.me()) {
    std::vector<int> ranks;
    ranks.reserve(group.size());
    for (std::uint32_t i = 0; i < group.size(); ++i)
      ranks.push_back(static_cast<int>(index(group.rank_of(i))));
    Handle all{};
    Handle members{};
    call_mpi(&MPI_Comm_group, Mpi::world(), &all);
    call_mpi(&MPI_Group_incl, all, static_cast<int>(ranks.size()), ranks.data(), &members);
    call_mpi(&MPI_Comm_create_group, Mpi::world(), members, 0, &made);
    call_mpi(&MPI_Group_free, &members);
    call_mpi(&MPI_Group_free, &all);
  }
  store<Mpi>(made, handle);
}

// Probes for a message that no program sends: from this rank to itself, with the largest tag that
// every MPI supports.
template <typename Mpi>
void probe() {
  constexpr int tag = 32767;
  int is_there = 0;
  call_mpi(&MPI_Iprobe, own_rank, tag, Mpi::world(), &is_there, Mpi::no_status());
}

template <typename Mpi>
void free(ARMCI_Group* handle) {
  auto communicator = communicator_in<Mpi>(handle);
  if (is_running(used) && communicator != Mpi::null()) call_mpi(&MPI_Comm_free, &communicator);
  store<Mpi>(Mpi::null(), handle);
}

void check_running(CallName call) {
  if (kind(call) == Kind::none)
    give_up(call, "this process has no MPI; link the program with one, as mpicc does");
  if (!is_running(kind(call))) give_up(call, "MPI is not initialized; call MPI_Init first");
}

template <typename Mpi>
void check_world(CallName call, typename Mpi::Handle communicator) {
  constexpr int congruent = 1;  // MPI_IDENT is 0
  int how = -1;
  call_mpi(&MPI_Comm_compare, communicator, Mpi::world(), &how);
  if (how < 0 || how > congruent)
    give_up(call,
            "the communicator does not have the processes of MPI_COMM_WORLD in the same order");
}

// `communicator`: as the caller passes it. An int is in the lower half.
void check_world(CallName call, void* communicator) {
  check_running(call);
  if (kind(call) == Kind::open_mpi) return check_world<OpenMpi>(call, communicator);
  check_world<Mpich>(call, static_cast<int>(reinterpret_cast<std::intptr_t>(communicator)));
}

}  // namespace

void start_mpi(CallName call, int* argc, char*** argv) {
  if (kind(call) != Kind::none && !is_true(&MPI_Initialized)) call_mpi(&MPI_Init, argc, argv);
}

void end_mpi() {
  if (is_running(kind("armci_msg_finalize"))) call_mpi(&MPI_Finalize);
}

void find_mpi(CallName call) {
  used = is_running(kind(call)) ? kind(call) : Kind::none;
  if (used == Kind::none) return;
  call_mpi(&MPI_Query_thread, &thread_level);
  used == Kind::open_mpi ? find_rank<OpenMpi>() : find_rank<Mpich>();
}

bool uses_mpi() {
  return is_running(used);
}

// With MPI_THREAD_SERIALIZED, another thread may be in MPI while this one is in another library.
void move_mpi(From call) {
  if (!is_running(used)) return;
  if (thread_level <= level_funneled && !is_true(&MPI_Is_thread_main)) return;
  if (thread_level > level_funneled && thread_level < level_multiple && call == From::elsewhere)
    return;
  used == Kind::open_mpi ? probe<OpenMpi>() : probe<Mpich>();
}

void compare_with_mpi(CallName call, const Door& door) {
  if (used == Kind::open_mpi) compare<OpenMpi>(call, door);
  if (used == Kind::mpich) compare<Mpich>(call, door);
}

void make_communicator(const Group& group, ARMCI_Group* handle) {
  handle->comm = nullptr;
  if (!is_running(used)) return;
  used == Kind::open_mpi ? make<OpenMpi>(group, handle) : make<Mpich>(group, handle);
}

void free_communicator(ARMCI_Group* handle) {
  if (used == Kind::open_mpi) free<OpenMpi>(handle);
  if (used == Kind::mpich) free<Mpich>(handle);
}

}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

// Programs see these with MPI_Comm if they include mpi.h before armci.h. An int is passed and
// returned in the lower half of a pointer's register, on all 64-bit processors.
extern "C" {
int PARMCI_Init_mpi_comm(void* comm);
int PARMCI_Init_thread_comm(int armci_requested, void* comm);
void* armci_group_comm(ARMCI_Group* group);
}

int PARMCI_Init_mpi_comm(void* comm) {
  check_world("ARMCI_Init_mpi_comm", comm);
  return start("ARMCI_Init_mpi_comm");
}

int PARMCI_Init_thread_comm(int /*armci_requested*/, void* comm) {
  check_world("ARMCI_Init_thread_comm", comm);
  return start("ARMCI_Init_thread_comm");
}

void* armci_group_comm(ARMCI_Group* group) {
  if (used == Kind::none) {
    check_running("armci_group_comm");
    give_up("armci_group_comm", "MPI was initialized after ARMCI; call MPI_Init before ARMCI_Init");
  }
  if (used == Kind::open_mpi) return communicator_in<OpenMpi>(group);
  return reinterpret_cast<void*>(std::intptr_t{communicator_in<Mpich>(group)});
}

// Weak, so that a tool can define its own.
extern "C" {
decltype(PARMCI_Init_mpi_comm) ARMCI_Init_mpi_comm
    __attribute__((weak, alias("PARMCI_Init_mpi_comm")));
decltype(PARMCI_Init_thread_comm) ARMCI_Init_thread_comm
    __attribute__((weak, alias("PARMCI_Init_thread_comm")));
}
