// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/nvml/device_values.h>

#include <sys/prctl.h>
#include <time.h>

#include <csignal>

// Reads the GPUs of this node through NVML and prints lines (nvml_lines.h). The agent is linked statically, so that it runs
// on any libc, and cannot open a library; it carries this program, which can, and a driver that hangs stops this program
// alone.
//
//     rankscope-nvml LIBRARY watch MILLISECONDS    values each so often, and Xids as they come
//     rankscope-nvml LIBRARY list                  facts and values, once
//
// LIBRARY: a path, or "" for the driver's own.

namespace rankscope::nvml {
namespace {

constexpr unsigned kMostGpus = 64;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr int kMostFailedWaits = 10;

constinit std::array<Gpu, kMostGpus> gpus{};
constinit LineWriter out{};

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void sleep_until(std::int64_t due) {
    for (std::int64_t left = due - now_ns(); left > 0; left = due - now_ns()) {
        const timespec pause{static_cast<time_t>(left / 1'000'000'000),
                             static_cast<long>(left % 1'000'000'000)};
        nanosleep(&pause, nullptr);
    }
}

int fail(const char* what, Return code, const char* why) {
    out.word("failed").word(what).number(static_cast<std::uint64_t>(code)).word(why).end_line();
    out.flush();
    return 1;
}

unsigned number_of(const char* text) {
    unsigned number = 0;
    for (; *text >= '0' && *text <= '9' && number < 100'000'000; ++text) {
        number = number * 10 + static_cast<unsigned>(*text - '0');
    }
    return number;
}

// The GPUs whose handle the driver gives.
Return find_gpus(const Library& library, unsigned& count) {
    unsigned present = 0;
    const Return result = ask(library.device_count, &present);
    count = 0;
    for (unsigned i = 0; result == kSuccess && i < present && i < kMostGpus; ++i) {
        Gpu& gpu = gpus[count];
        gpu.index = i;
        const Return opened = ask(library.device, i, &gpu.device);
        if (opened == kSuccess) {
            ++count;
        } else if (opened == kGpuIsLost) {
            out.word("lost").number(i).end_line();
        }
    }
    return result;
}

void write_versions(const Library& library) {
    std::array<char, 96> driver{};
    int cuda = 0;
    if (ask(library.driver_version, driver.data(), static_cast<unsigned>(driver.size() - 1)) == kSuccess) {
        out.word("driver").word(driver.data()).end_line();
    }
    if (ask(library.cuda_version, &cuda) == kSuccess && cuda > 0) {
        out.word("cuda").number(static_cast<std::uint64_t>(cuda)).end_line();
    }
}

// `slow_gpu`: the one whose PCIe traffic is measured in this round, which takes 40 ms.
void write_round(const Library& library, unsigned count, unsigned slow_gpu) {
    const std::int64_t begin = now_ns();
    out.word("begin").number(static_cast<std::uint64_t>(begin / 1000)).end_line();
    for (unsigned i = 0; i < count; ++i) {
        write_values(library, gpus[i], i == slow_gpu, out);
    }
    out.word("end").number(static_cast<std::uint64_t>((now_ns() - begin) / 1000)).end_line();
    out.flush();
}

EventSet subscribe(const Library& library, unsigned count) {
    EventSet set = nullptr;
    bool any = false;
    if (library.wait_event == nullptr || ask(library.event_set, &set) != kSuccess) {
        return nullptr;
    }
    for (unsigned i = 0; i < count; ++i) {
        any = ask(library.register_events, gpus[i].device, kEventXid, set) == kSuccess || any;
    }
    return any ? set : nullptr;
}

// false: this driver's events do not work.
bool wait_for_events(const Library& library, EventSet set, unsigned count, std::int64_t due) {
    int failed = 0;
    for (std::int64_t now = now_ns(); now < due; now = now_ns()) {
        EventData event{};
        const auto wait = static_cast<unsigned>((due - now + kMillisecond - 1) / kMillisecond);
        const Return result = library.wait_event(set, &event, wait);
        if (result == kSuccess && (event.type & kEventXid) != 0) {
            for (unsigned i = 0; i < count; ++i) {
                if (gpus[i].device == event.device) {
                    out.word("xid").number(gpus[i].index).number(event.data).end_line();
                    out.flush();
                }
            }
            continue;
        }
        if (result != kSuccess && result != kTimeout && ++failed == kMostFailedWaits) {
            return false;
        }
        if (now_ns() - now < kMillisecond) {
            sleep_until(now + 10 * kMillisecond);  // it returned at once: an interrupt, or an error
        }
    }
    return true;
}

int watch(const Library& library, unsigned count, unsigned every_ms) {
    EventSet set = subscribe(library, count);
    const std::int64_t every = static_cast<std::int64_t>(every_ms < 10 ? 10 : every_ms) * kMillisecond;
    std::int64_t due = now_ns();
    for (unsigned round = 0;; ++round) {
        write_round(library, count, every_ms >= 500 && count > 0 ? round % count : count);
        const std::int64_t now = now_ns();
        due = due + every > now ? due + every : now + every;
        if (set != nullptr && !wait_for_events(library, set, count, due)) {
            set = nullptr;
        }
        sleep_until(due);
    }
}

int run(int argc, char** argv) {
    prctl(PR_SET_NAME, "rankscope-nvml");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc < 3) {
        return fail("use", 0, "LIBRARY watch MILLISECONDS | LIBRARY list");
    }
    Library library;
    if (const char* problem = open_library(argv[1], library); problem != nullptr) {
        return fail("open", 0, problem);
    }
    if (const Return result = ask(library.init); result != kSuccess) {
        return fail("init", result, "nvmlInit_v2");
    }
    unsigned count = 0;
    if (const Return result = find_gpus(library, count); result != kSuccess) {
        return fail("count", result, "nvmlDeviceGetCount_v2");
    }
    write_versions(library);
    for (unsigned i = 0; i < count; ++i) {
        write_facts(library, gpus[i], out);
    }
    out.flush();
    if (argv[2][0] == 'w' && argc > 3) {
        return watch(library, count, number_of(argv[3]));
    }
    write_round(library, count, count);
    return 0;
}

}  // namespace
}  // namespace rankscope::nvml

#ifndef RANKSCOPE_OWN_START
int main(int argc, char** argv) {
    ::_exit(rankscope::nvml::run(argc, argv));
}
#else
// In place of the C library's start file, which names __libc_start_main in its newest version.
#if defined(__x86_64__)
__asm__(".symver __libc_start_main,__libc_start_main@GLIBC_2.2.5");
__asm__(
    ".text\n.globl _start\n.hidden _start\n.type _start,@function\n_start:\n"
    "xor %ebp,%ebp\nmov %rsp,%rdi\nand $-16,%rsp\ncall rankscope_start\nhlt\n");
#elif defined(__aarch64__)
__asm__(".symver __libc_start_main,__libc_start_main@GLIBC_2.17");
__asm__(
    ".text\n.globl _start\n.hidden _start\n.type _start,%function\n_start:\n"
    "mov x29,#0\nmov x30,#0\nmov x0,sp\nb rankscope_start\n");
#endif

extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the C library's name
int __libc_start_main(int (*)(int, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);

static int rankscope_main(int argc, char** argv) {
    ::_exit(rankscope::nvml::run(argc, argv));
}

[[noreturn, gnu::used, gnu::visibility("hidden")]] void rankscope_start(long* stack) {
    auto** arguments = reinterpret_cast<char**>(stack + 1);
    __libc_start_main(rankscope_main, static_cast<int>(*stack), arguments, nullptr, nullptr, nullptr, stack);
    __builtin_trap();
}
}
#endif
