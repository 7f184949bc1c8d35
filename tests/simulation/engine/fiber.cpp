#include "simulation/engine/fiber.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "core/assert.hpp"

// Saves the registers that a function must preserve, and goes on where the other stack has saved
// them. ucontext(3) would make a system call at each switch.
extern "C" void gondwana_switch_stacks(void** from, void* to);
#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .type gondwana_switch_stacks, @function
gondwana_switch_stacks:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size gondwana_switch_stacks, . - gondwana_switch_stacks
  .popsection
)");
constexpr std::size_t saved_words = 7;  // the last one is the return address
constexpr std::size_t return_word = 6;
#elif defined(__aarch64__)
asm(R"(
  .pushsection .text
  .type gondwana_switch_stacks, %function
gondwana_switch_stacks:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size gondwana_switch_stacks, . - gondwana_switch_stacks
  .popsection
)");
constexpr std::size_t saved_words = 20;
constexpr std::size_t return_word = 11;
#endif

namespace gondwana::simulation {
namespace {

constexpr std::size_t stack_size = std::size_t{512} << 10;

Fiber* starting = nullptr;

// Stacks of ended fibers, because to map one takes longer than a short job.
std::vector<Mapping>& unused_stacks() {
  static std::vector<Mapping> stacks;
  return stacks;
}

// An overflow reaches the lowest page, and must not write to other memory.
Mapping take_stack() {
  std::vector<Mapping>& unused = unused_stacks();
  if (!unused.empty()) {
    Mapping stack = std::move(unused.back());
    unused.pop_back();
    return stack;
  }
  Mapping stack = Mapping::zeros(page_size() + stack_size);
  GONDWANA_ASSERT(stack.data() != nullptr, stack_size);
  GONDWANA_ASSERT(::mprotect(stack.data(), page_size(), PROT_NONE) == 0, errno);
  return stack;
}

// The thread-local variables of the program, in the only thread.
std::span<std::byte> thread_variables() {
  static const std::span<std::byte> found = [] {
    std::span<std::byte> variables;
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* result) {
          for (int i = 0; i < object->dlpi_phnum; ++i)
            if (object->dlpi_phdr[i].p_type == PT_TLS)
              *static_cast<std::span<std::byte>*>(result) = {
                  static_cast<std::byte*>(object->dlpi_tls_data), object->dlpi_phdr[i].p_memsz};
          return 1;  // the program is the first one
        },
        &variables);
    return variables;
  }();
  return found;
}

// As they are outside of fibers.
const std::vector<std::byte>& first_variables() {
  static const std::vector<std::byte> first(thread_variables().begin(), thread_variables().end());
  return first;
}

}  // namespace

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(take_stack()), variables_(first_variables()) {
  // A function begins with a stack as after a call: 8 bytes below a multiple of 16 on x86-64.
  std::byte* const top = stack_.data() + page_size() + stack_size - 64;
  auto** const words = reinterpret_cast<void**>(top) - (saved_words + 2) / 2 * 2;
  std::fill(words, words + saved_words, nullptr);
  words[return_word] = reinterpret_cast<void*>(&Fiber::start);
  inside_ = words;
}

// A fiber that has not ended leaves all behind that is on its stack.
Fiber::~Fiber() {
  unused_stacks().push_back(std::move(stack_));
}

void Fiber::enter() {
  starting = this;
  const std::span<std::byte> variables = thread_variables();
  std::memcpy(variables.data(), variables_.data(), variables.size());
  gondwana_switch_stacks(&outside_, inside_);
  std::memcpy(variables_.data(), variables.data(), variables.size());
  std::memcpy(variables.data(), first_variables().data(), variables.size());
}

void Fiber::leave() {
  gondwana_switch_stacks(&inside_, outside_);
}

void Fiber::start() {
  Fiber* const self = starting;
  self->body_();
  self->has_ended_ = true;
  self->leave();
  std::abort();
}

}  // namespace gondwana::simulation
