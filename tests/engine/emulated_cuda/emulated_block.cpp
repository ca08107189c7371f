// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <setjmp.h>
#include <tests/engine/emulated_cuda/emulated_block.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace emulated {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStack = 256 * 1024;  // instrumented frames are larger
#else
constexpr std::size_t kStack = 64 * 1024;
#endif
constexpr std::size_t kWarp = 32;

/// What a sanitizer has to know of a change of stacks: goes_to() before it, arrived() behind it.
class StackChange {
public:
    StackChange() = default;
    StackChange(const StackChange&) = delete;
    StackChange& operator=(const StackChange&) = delete;
    ~StackChange() {
#if defined(__SANITIZE_THREAD__)
        if (created_) {
            __tsan_destroy_fiber(thread_);
        }
#endif
    }
    /// Of a stack that this program has allocated; without it the stack is the one that it runs on.
    void of([[maybe_unused]] const std::byte* bottom) {
#if defined(__SANITIZE_ADDRESS__)
        bottom_ = bottom;
        size_ = kStack;
#endif
#if defined(__SANITIZE_THREAD__)
        thread_ = __tsan_create_fiber(0);
        created_ = true;
#endif
    }
    // Not instrumented: ThreadSanitizer would count its begin for one stack and its end for the other.
    __attribute__((no_sanitize("thread"))) void goes_to([[maybe_unused]] StackChange& other) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(&kept_, other.bottom_, other.size_);
#endif
#if defined(__SANITIZE_THREAD__)
        if (!created_) {
            thread_ = __tsan_get_current_fiber();
        }
        __tsan_switch_to_fiber(other.thread_, 0);
#endif
    }
    void arrived([[maybe_unused]] StackChange& from) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(kept_, &from.bottom_, &from.size_);
#endif
    }

private:
#if defined(__SANITIZE_ADDRESS__)
    const void* bottom_ = nullptr;
    std::size_t size_ = 0;
    void* kept_ = nullptr;
#endif
#if defined(__SANITIZE_THREAD__)
    void* thread_ = nullptr;
    bool created_ = false;
#endif
};

/// A stack that threads of the block run on: one after the other as long as they do not wait, so that a
/// kernel without barriers is a plain loop.
struct Fiber {
    ucontext_t first{};  ///< how it begins
    jmp_buf place{};     ///< where it waits
    bool begun = false;
    std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(kStack);
    StackChange change{};
};

enum class State { unstarted, ready, at_block_barrier, at_warp_barrier, ended };

struct Thread {
    State state = State::unstarted;
    ThreadIndex index;
    Fiber* fiber = nullptr;
    std::array<unsigned long long, 2> slots{};  ///< what it gives to the others, in turns
    unsigned shuffles = 0;
};

struct Block {
    std::vector<Thread> threads;
    std::size_t count = 0;
    std::size_t current = 0;    ///< the thread that runs
    std::size_t unstarted = 0;  ///< the first one that has not begun
    std::vector<std::unique_ptr<Fiber>> fibers;
    std::vector<Fiber*> idle;
    jmp_buf scheduler{};
    StackChange change{};  ///< of the scheduler
    const std::function<void()>* kernel = nullptr;
};

Block& block() {
    static Block one;
    return one;
}

// longjmp() and not _longjmp(), which ThreadSanitizer does not see: each jump would leave a frame on its stack.
[[noreturn]] void back_to_scheduler(Fiber& from) {
    Block& b = block();
    from.change.goes_to(b.change);
    longjmp(b.scheduler, 1);
}

void fiber_main() {
    Block& b = block();
    b.threads[b.current].fiber->change.arrived(b.change);
    for (;;) {
        Fiber* const self = b.threads[b.current].fiber;
        (*b.kernel)();
        b.threads[b.current].state = State::ended;
        if (b.unstarted < b.count) {
            b.current = b.unstarted++;
            b.threads[b.current].fiber = self;
            b.threads[b.current].state = State::ready;
            continue;
        }
        b.idle.push_back(self);
        if (_setjmp(self->place) == 0) {
            back_to_scheduler(*self);
        }
        self->change.arrived(b.change);
    }
}

/// Continues the current thread's fiber until it waits or has nothing to do.
void resume() {
    Block& b = block();
    Fiber& fiber = *b.threads[b.current].fiber;
    if (_setjmp(b.scheduler) != 0) {
        b.change.arrived(block().threads[block().current].fiber->change);
        return;
    }
    if (!fiber.begun) {
        fiber.change.of(fiber.stack.get());
    }
    b.change.goes_to(fiber.change);
    if (fiber.begun) {
        longjmp(fiber.place, 1);
    }
    fiber.begun = true;
    getcontext(&fiber.first);
    fiber.first.uc_stack.ss_sp = fiber.stack.get();
    fiber.first.uc_stack.ss_size = kStack;
    fiber.first.uc_link = nullptr;
    makecontext(&fiber.first, fiber_main, 0);
    setcontext(&fiber.first);
}

void wait_in(State state) {
    Thread& self = block().threads[block().current];
    self.state = state;
    if (_setjmp(self.fiber->place) == 0) {
        back_to_scheduler(*self.fiber);
    }
    Block& b = block();
    b.threads[b.current].fiber->change.arrived(b.change);
}

/// Resumes the threads whose barrier all others have reached.
bool open_barriers() {
    Block& b = block();
    bool opened = false;
    for (std::size_t warp = 0; warp < b.count; warp += kWarp) {
        const std::size_t end = std::min(b.count, warp + kWarp);
        bool all = true;
        bool some = false;
        for (std::size_t i = warp; i < end; ++i) {
            all = all && (b.threads[i].state == State::at_warp_barrier || b.threads[i].state == State::ended);
            some = some || b.threads[i].state == State::at_warp_barrier;
        }
        for (std::size_t i = warp; all && some && i < end; ++i) {
            if (b.threads[i].state == State::at_warp_barrier) {
                b.threads[i].state = State::ready;
                opened = true;
            }
        }
    }
    if (opened) {
        return true;
    }
    bool some = false;
    for (std::size_t i = 0; i < b.count; ++i) {
        if (b.threads[i].state != State::at_block_barrier && b.threads[i].state != State::ended) {
            return false;
        }
        some = some || b.threads[i].state == State::at_block_barrier;
    }
    for (std::size_t i = 0; some && i < b.count; ++i) {
        if (b.threads[i].state == State::at_block_barrier) {
            b.threads[i].state = State::ready;
        }
    }
    return some;
}

Fiber* fiber_from_pool() {
    Block& b = block();
    if (b.idle.empty()) {
        b.fibers.push_back(std::make_unique<Fiber>());
        return b.fibers.back().get();
    }
    Fiber* const fiber = b.idle.back();
    b.idle.pop_back();
    return fiber;
}

void run_block() {
    Block& b = block();
    b.unstarted = 0;
    for (;;) {
        bool ran = false;
        while (b.unstarted < b.count) {
            b.current = b.unstarted++;
            b.threads[b.current].fiber = fiber_from_pool();
            b.threads[b.current].state = State::ready;
            ran = true;
            resume();
        }
        for (std::size_t i = 0; i < b.count; ++i) {
            if (b.threads[i].state == State::ready) {
                ran = true;
                b.current = i;
                resume();
            }
        }
        if (!ran && !open_barriers()) {
            break;
        }
    }
    for (std::size_t i = 0; i < b.count; ++i) {
        if (b.threads[i].state != State::ended) {
            std::fprintf(stderr, "emulated CUDA: threads of a block wait at different barriers\n");
            std::abort();
        }
    }
}

}  // namespace

const ThreadIndex& here() {
    return block().threads[block().current].index;
}

void synchronise_block() {
    wait_in(State::at_block_barrier);
}

unsigned long long exchange(unsigned long long bits, int mask) {
    Block& b = block();
    const std::size_t self = b.current;
    const unsigned turn = b.threads[self].shuffles++ % 2;
    b.threads[self].slots[turn] = bits;
    wait_in(State::at_warp_barrier);
    return b.threads[self ^ static_cast<std::size_t>(mask)].slots[turn];
}

void run_grid(dim3 blocks, dim3 threads, const std::function<void()>& kernel) {
    Block& b = block();
    b.count = static_cast<std::size_t>(threads.x) * threads.y * threads.z;
    if (b.threads.size() < b.count) {
        b.threads.resize(b.count);
    }
    b.kernel = &kernel;
    std::vector<std::uint64_t> order(static_cast<std::size_t>(blocks.x) * blocks.y * blocks.z);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    static std::mt19937 random(1);
    std::shuffle(order.begin(), order.end(), random);
    for (const std::uint64_t number : order) {
        for (std::size_t i = 0; i < b.count; ++i) {
            const auto thread = static_cast<unsigned>(i);
            b.threads[i].state = State::unstarted;
            b.threads[i].shuffles = 0;
            b.threads[i].index = {
                dim3(thread % threads.x, thread / threads.x % threads.y, thread / threads.x / threads.y),
                dim3(static_cast<unsigned>(number % blocks.x),
                     static_cast<unsigned>(number / blocks.x % blocks.y),
                     static_cast<unsigned>(number / blocks.x / blocks.y)),
                threads, blocks};
        }
        run_block();
    }
}

}  // namespace emulated
