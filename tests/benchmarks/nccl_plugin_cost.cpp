// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a call of NCCL to librankscope-nccl.so costs, in ns: rounds of 20,000 collectives, the median of 11.
//
//   nccl_plugin_cost 1|2        the level: host only, or with 24 GPU channels for each collective

#include <tests/engine/nccl_profiler/driver.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace rankscope::nccl::test {
namespace {

constexpr int kRounds = 11;
constexpr int kCollectives = 20000;
constexpr std::uint8_t kChannels = 24;
constexpr std::uint64_t kSecond = 1'000'000'000;

/// Of this thread alone: other programs do not count.
double cpu_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Calls alone, without the checks of the driver.
class Caller {
public:
    Caller(Driver<V5>& driver, void* context) : driver_(driver), table_(driver.table()), context_(context) {}

    /// One AllReduce of a program in a group of its own, as NCCL 2.28 reports it. Returns the number of calls.
    int collective(std::uint64_t sequence, bool kernels) {
        calls_ = 0;
        void* group = start(driver_.group_api());
        void* call = start(driver_.coll_api(group));
        stop(call);
        void* plan = start(driver_.of_type(abi::kGroup, group));
        void* operation = start(driver_.coll(sequence, kChannels, call));
        stop(operation);
        stop(plan);
        stop(group);
        const std::uint64_t begin = kSecond + sequence * 1000;
        for (std::uint8_t channel = 0; kernels && channel < kChannels; ++channel) {
            void* kernel = start(driver_.kernel(operation, channel, begin));
            abi::StateArguments4 state{};
            state.timer = begin + 500;
            table_.record_state(kernel, abi::kKernelChStop, &state);
            stop(kernel);
            ++calls_;
        }
        return calls_;
    }

private:
    void* start(V5::Descriptor descriptor) {
        void* handle = nullptr;
        table_.start_event(context_, &handle, &descriptor);
        ++calls_;
        return handle;
    }
    void stop(void* handle) {
        table_.stop_event(handle);
        ++calls_;
    }

    Driver<V5>& driver_;
    V5::Plugin& table_;
    void* context_;
    int calls_ = 0;
};

int measure(const char* level) {
    const TemporaryFolder folder;
    observe_into(folder, level);
    Driver<V5> driver;
    Caller caller(driver, driver.init(1, 8, 0));
    std::vector<double> figures;
    std::uint64_t sequence = 0;
    int calls = 0;
    for (int round = 0; round < kRounds; ++round) {
        const double begin = cpu_ns();
        for (int i = 0; i < kCollectives; ++i) {
            calls = caller.collective(sequence++, std::string_view(level) != "1");
        }
        figures.push_back((cpu_ns() - begin) / kCollectives);
    }
    std::sort(figures.begin(), figures.end());
    Reader reader = reader_of(folder);
    const auto communicators = reader.communicators();
    std::printf(
        "level %s: %.0f ns a collective (%.0f to %.0f), %.0f ns a call of %d; finished %llu of %llu, dropped "
        "%llu\n",
        level, figures[kRounds / 2], figures.front(), figures.back(), figures[kRounds / 2] / calls, calls,
        static_cast<unsigned long long>(communicators.at(0).finished),
        static_cast<unsigned long long>(sequence),
        static_cast<unsigned long long>(reader.header().operations_dropped));
    return 0;
}

}  // namespace
}  // namespace rankscope::nccl::test

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s 1|2\n", argv[0]);
        return 2;
    }
    return rankscope::nccl::test::measure(argv[1]);
}
