// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a call of NCCL to librankscope-nccl.so costs, in ns: rounds of 20,000 collectives, the median of 11.
//
//   nccl_plugin_cost 1|2        the level: host only, or with 24 GPU channels for each collective

#include <tests/engine/nccl_profiler/driver.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::nccl::test {
namespace {

constexpr int kRounds = 11;
constexpr int kCollectives = 20000;
constexpr std::uint8_t kChannels = 24;
constexpr std::uint64_t kSecond = 1'000'000'000;

double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// One AllReduce of a program in a group of its own, as NCCL 2.28 reports it. Returns the number of calls.
int collective(Driver<V5>& driver, void* context, std::uint64_t sequence, bool kernels) {
    void* group = driver.start(context, driver.group_api());
    void* call = driver.start(context, driver.coll_api(group));
    driver.stop(call);
    void* plan = driver.start(context, driver.of_type(abi::kGroup, group));
    void* operation = driver.start(context, driver.coll(sequence, kChannels, call));
    driver.stop(operation);
    driver.stop(plan);
    driver.stop(group);
    if (!kernels) {
        return 8;
    }
    const std::uint64_t start = kSecond + sequence * 1000;
    driver.run_kernel(context, operation, kChannels, start, start + 500);
    return 8 + 3 * kChannels;
}

int measure(const char* level) {
    const TemporaryFolder folder;
    observe_into(folder, level);
    Driver<V5> driver;
    void* context = driver.init(1, 8, 0);
    std::vector<double> figures;
    std::uint64_t sequence = 0;
    int calls = 0;
    for (int round = 0; round < kRounds; ++round) {
        const double begin = now_ns();
        for (int i = 0; i < kCollectives; ++i) {
            calls = collective(driver, context, sequence++, std::string_view(level) != "1");
        }
        figures.push_back((now_ns() - begin) / kCollectives);
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
