// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A rank that uses NCCL, as far as a profiler plugin can see: it loads the library of NCCL_PROFILER_PLUGIN and calls its
// table as NCCL 2.28 does, one AllReduce after another. For tests of who reads the plugin's files.
//
//   nccl_rank [steps=20] [every_ms=20] [away=RANK:STEP] [dies=RANK:STEP] [linger_ms=0]
//
// away: this rank never calls AllReduce STEP; the others are in it until they are killed.
// dies: this rank kills itself (SIGKILL) when it has enqueued AllReduce STEP; the others are in it.
// linger_ms: how long it lives after its last step.

#include <remote/nccl_profiler/abi_v5.h>

#include <dlfcn.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

namespace rankscope::nccl {
namespace {

using abi::v5::Descriptor;

constexpr std::uint64_t kCommunicator = 0xfeed0001;
constexpr std::uint8_t kChannels = 2;

int number_of(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::atoi(value);
}

struct Place {
    int rank = -1;
    int step = -1;
};

struct Options {
    int steps = 20;
    int every_ms = 20;
    int linger_ms = 0;
    Place away;
    Place dies;
};

bool read_option(std::string_view word, std::string_view name, int& value) {
    if (!word.starts_with(name) || word.size() <= name.size() || word[name.size()] != '=') {
        return false;
    }
    word.remove_prefix(name.size() + 1);
    return std::from_chars(word.data(), word.data() + word.size(), value).ec == std::errc();
}

bool read_option(std::string_view word, std::string_view name, Place& place) {
    const auto colon = word.find(':');
    return colon != std::string_view::npos && read_option(word.substr(0, colon), name, place.rank) &&
           std::from_chars(word.data() + colon + 1, word.data() + word.size(), place.step).ec == std::errc();
}

class Rank {
public:
    Rank(const Options& options, void* library)
        : options_(options),
          rank_(number_of("RANK", 0)),
          ranks_(number_of("WORLD_SIZE", 1)),
          table_(library == nullptr ? nullptr
                                    : static_cast<abi::v5::Plugin*>(dlsym(library, "ncclProfiler_v5"))) {}

    void run() {
        if (table_ != nullptr) {
            table_->init(&context_, kCommunicator, &mask_, "world", 1, ranks_, rank_, nullptr);
        }
        for (int step = 0; step < options_.steps; ++step) {
            all_reduce(step);
            std::this_thread::sleep_for(std::chrono::milliseconds(options_.every_ms));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(options_.linger_ms));
        if (table_ != nullptr) {
            table_->finalize(context_);
        }
    }

private:
    void* start(std::uint64_t type, void* parent, Descriptor descriptor = {}) {
        descriptor.type = type;
        descriptor.parent = parent;
        descriptor.rank = rank_;
        void* handle = nullptr;
        if (table_ != nullptr && (mask_ & static_cast<int>(type)) != 0) {
            table_->start_event(context_, &handle, &descriptor);
        }
        return handle;
    }
    void stop(void* handle) {
        if (table_ != nullptr && handle != nullptr) {
            table_->stop_event(handle);
        }
    }
    static std::uint64_t gpu_ns() {
        return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
    [[noreturn]] static void wait_forever() {
        for (;;) {
            pause();
        }
    }

    void all_reduce(int step) {
        if (options_.away.rank == rank_ && options_.away.step == step) {
            wait_forever();
        }
        Descriptor group{};
        group.group_api = {false, 1};
        void* api_group = start(abi::kGroupApi, nullptr, group);
        Descriptor call{};
        call.coll_api = {"AllReduce", 262144, "ncclFloat32", 0, nullptr, false};
        void* api = start(abi::kCollApi, api_group, call);
        stop(api);
        void* plan = start(abi::kGroup, api_group);
        Descriptor task{};
        task.coll.fields = {.sequence = static_cast<std::uint64_t>(step),
                            .function = "AllReduce",
                            .send = nullptr,
                            .receive = nullptr,
                            .count = 262144,
                            .root = 0,
                            .datatype = "ncclFloat32",
                            .channels = kChannels,
                            .warps = 16,
                            .algorithm = "RING",
                            .protocol = "SIMPLE"};
        void* collective = start(abi::kColl, api, task);
        stop(collective);
        stop(plan);
        stop(api_group);
        if (options_.dies.step == step && options_.dies.rank == rank_) {
            std::fflush(nullptr);
            raise(SIGKILL);
        }
        const bool stuck = options_.away.step == step || options_.dies.step == step;
        run_channels(collective, stuck);
    }

    void run_channels(void* collective, bool stuck) {
        void* channels[kChannels] = {};
        for (std::uint8_t i = 0; i < kChannels; ++i) {
            Descriptor kernel{};
            kernel.kernel = {i, gpu_ns()};
            channels[i] = start(abi::kKernelCh, collective, kernel);
        }
        if (stuck) {
            wait_forever();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        for (void* channel : channels) {
            abi::StateArguments4 state{};
            state.timer = gpu_ns();
            if (table_ != nullptr && channel != nullptr) {
                table_->record_state(channel, abi::kKernelChStop, &state);
            }
            stop(channel);
        }
    }

    Options options_;
    int rank_;
    int ranks_;
    abi::v5::Plugin* table_;
    void* context_ = nullptr;
    int mask_ = 0;
};

}  // namespace
}  // namespace rankscope::nccl

int main(int argc, char** argv) {
    using namespace rankscope::nccl;
    Options options;
    for (int i = 1; i < argc; ++i) {
        if (!read_option(argv[i], "steps", options.steps) &&
            !read_option(argv[i], "every_ms", options.every_ms) &&
            !read_option(argv[i], "linger_ms", options.linger_ms) &&
            !read_option(argv[i], "away", options.away) && !read_option(argv[i], "dies", options.dies)) {
            std::fprintf(stderr, "unknown option: %s\n", argv[i]);
            return 2;
        }
    }
    const char* file = std::getenv("NCCL_PROFILER_PLUGIN");
    void* library = file == nullptr ? nullptr : dlopen(file, RTLD_NOW | RTLD_LOCAL);
    std::printf("plugin: %s\n", library != nullptr ? file : "none");
    std::fflush(stdout);
    Rank(options, library).run();
    return 0;
}
