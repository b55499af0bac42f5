#include "support/gpu/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace lockstep::gpu_stand_in {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;

// One side of a switch, with the data that the sanitizers need about it.
struct Side {
#if defined(__x86_64__)
  void* stack_pointer = nullptr;
#else
  ucontext_t context{};
#endif
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr;
  void* tsan_fiber = nullptr;
};

#if defined(__x86_64__)
// Saves the registers that a call has to preserve (System V ABI, figure 3.4) on the stack it leaves. swapcontext(3)
// would do, but makes a system call at each switch.
extern "C" void lockstep_switch_stack(void** from, void* to);
asm(R"(
.text
.type lockstep_switch_stack, @function
lockstep_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size lockstep_switch_stack, .-lockstep_switch_stack
)");
#endif

}  // namespace

struct Fiber::Parts {
  Side own;
  Side caller;
  void* stack = nullptr;
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  bool done = true;

  static void enter(Parts* parts) {
    parts->arrived(parts->own, nullptr);
    parts->body(parts->argument);
    parts->done = true;
    parts->go(parts->own, parts->caller, true);
  }

  // Return address on the stack of a fiber that has not run yet.
  static void first_entry();

  void go(Side& from, Side& to, bool for_good) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack, to.stack_bottom, to.stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
    static_cast<void>(for_good);
#if defined(__x86_64__)
    lockstep_switch_stack(&from.stack_pointer, to.stack_pointer);
#else
    swapcontext(&from.context, &to.context);
#endif
  }

  // Called on the side that a switch has arrived at; the stack that it came from is noted in `left`, or in `caller` if
  // null.
  void arrived(Side& here, Side* left) {
#if defined(__SANITIZE_ADDRESS__)
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(here.fake_stack, &bottom, &bytes);
    Side& from = left == nullptr ? caller : *left;
    from.stack_bottom = bottom;
    from.stack_bytes = bytes;
#endif
    static_cast<void>(here);
    static_cast<void>(left);
  }
};

namespace {
thread_local void* entering = nullptr;  // the parts of the fiber whose first resume() is running
}

void Fiber::Parts::first_entry() { enter(static_cast<Parts*>(entering)); }

Fiber::Fiber() : parts_(std::make_unique<Parts>()) {
  parts_->stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (parts_->stack == MAP_FAILED) throw std::bad_alloc();
  parts_->own.stack_bottom = parts_->stack;
  parts_->own.stack_bytes = kStackBytes;
#if defined(__SANITIZE_THREAD__)
  parts_->own.tsan_fiber = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(parts_->own.tsan_fiber);
#endif
  munmap(parts_->stack, kStackBytes);
}

void Fiber::start(void (*body)(void*), void* argument) {
  Parts& parts = *parts_;
  parts.body = body;
  parts.argument = argument;
  parts.done = false;
  parts.own.fake_stack = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(parts.stack, kStackBytes);  // frames that were never left
#endif
#if defined(__x86_64__)
  // The stack as lockstep_switch_stack leaves it: six registers, the return address; aligned as after a call.
  constexpr int kRegisters = 6;
  auto* top = reinterpret_cast<std::uintptr_t*>(static_cast<char*>(parts.stack) + kStackBytes);
  *--top = 0;
  *--top = reinterpret_cast<std::uintptr_t>(&Parts::first_entry);
  for (int i = 0; i < kRegisters; ++i) *--top = 0;
  parts.own.stack_pointer = top;
#else
  getcontext(&parts.own.context);
  parts.own.context.uc_stack.ss_sp = parts.stack;
  parts.own.context.uc_stack.ss_size = kStackBytes;
  makecontext(&parts.own.context, &Parts::first_entry, 0);
#endif
}

bool Fiber::resume() {
  Parts& parts = *parts_;
  entering = &parts;
#if defined(__SANITIZE_THREAD__)
  parts.caller.tsan_fiber = __tsan_get_current_fiber();
#endif
  parts.go(parts.caller, parts.own, false);
  parts.arrived(parts.caller, &parts.own);
  return !parts.done;
}

void Fiber::suspend() {
  Parts& parts = *parts_;
  parts.go(parts.own, parts.caller, false);
  parts.arrived(parts.own, nullptr);
}

}  // namespace lockstep::gpu_stand_in
