// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/nccl_ring/codes.h>
#include <base/nccl_ring/reader.h>
#include <remote/nccl_profiler/abi_v1.h>
#include <remote/nccl_profiler/abi_v2.h>
#include <remote/nccl_profiler/abi_v3.h>
#include <remote/nccl_profiler/abi_v4.h>
#include <remote/nccl_profiler/abi_v5.h>
#include <remote/nccl_profiler/abi_v6.h>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <tests/engine/temporary_folder.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

/// Drives librankscope-nccl.so as NCCL does: opens it, takes the table of a version, calls it.
namespace rankscope::nccl::test {

using engine::test::TemporaryFolder;
using nccl_ring::OperationKind;
using nccl_ring::Phase;
using nccl_ring::Reader;
using nccl_ring::Record;
using nccl_ring::RecordKind;

struct V1 {
    static constexpr int kNumber = 1;
    using Descriptor = abi::v1::Descriptor;
    using Plugin = abi::v1::Plugin;
    using Arguments = abi::StateArguments3;
};
struct V2 {
    static constexpr int kNumber = 2;
    using Descriptor = abi::v2::Descriptor;
    using Plugin = abi::v2::Plugin;
    using Arguments = abi::StateArguments3;
};
struct V3 {
    static constexpr int kNumber = 3;
    using Descriptor = abi::v3::Descriptor;
    using Plugin = abi::v3::Plugin;
    using Arguments = abi::StateArguments3;
};
struct V4 {
    static constexpr int kNumber = 4;
    using Descriptor = abi::v4::Descriptor;
    using Plugin = abi::v4::Plugin;
    using Arguments = abi::StateArguments4;
};
struct V5 {
    static constexpr int kNumber = 5;
    using Descriptor = abi::v5::Descriptor;
    using Plugin = abi::v5::Plugin;
    using Arguments = abi::StateArguments4;
};
struct V6 {
    static constexpr int kNumber = 6;
    using Descriptor = abi::v6::Descriptor;
    using Plugin = abi::v6::Plugin;
    using Arguments = abi::StateArguments4;
};
using AllVersions = ::testing::Types<V1, V2, V3, V4, V5, V6>;

/// The library stays open: NCCL's own dlclose does not unload it either.
inline void* plugin_library() {
    static void* library = dlopen(RANKSCOPE_NCCL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
    }
    return library;
}

template <typename V>
class Driver {
public:
    using Descriptor = typename V::Descriptor;
    static constexpr bool kCalls = V::kNumber >= 5;
    static constexpr bool kKernels = V::kNumber >= 3;
    static constexpr bool kTimers = V::kNumber >= 4;

    explicit Driver(void* library = plugin_library())
        : table_(static_cast<typename V::Plugin*>(
              dlsym(library, ("ncclProfiler_v" + std::to_string(V::kNumber)).c_str()))) {
        if (table_ == nullptr) {
            throw std::runtime_error("no table of this version");
        }
    }
    typename V::Plugin& table() { return *table_; }
    int mask() const { return mask_; }
    void set_mask(int mask) { mask_ = mask; }

    void* init(std::uint64_t id, int ranks = 2, int rank = 0, const char* name = "comm",
               abi::Logger logger = nullptr) {
        void* context = &mask_;
        rank_ = rank;
        id_ = id;
        int result = 0;
        if constexpr (V::kNumber <= 3) {
            result = table_->init(&context, &mask_);
        } else if constexpr (V::kNumber == 4) {
            result = table_->init(&context, &mask_, name, id, 1, ranks, rank, logger);
        } else {
            result = table_->init(&context, id, &mask_, name, 1, ranks, rank, logger);
        }
        EXPECT_EQ(result, 0);
        return context;
    }
    void* start(void* context, Descriptor descriptor) {
        void* handle = &mask_;
        EXPECT_EQ(table_->start_event(context, &handle, &descriptor), 0);
        EXPECT_NE(handle, static_cast<void*>(&mask_));
        return handle;
    }
    void stop(void* handle) { EXPECT_EQ(table_->stop_event(handle), 0); }
    void state(void* handle, int state, std::uint64_t timer = 0) {
        typename V::Arguments arguments{};
        if constexpr (kTimers) {
            arguments.timer = timer;
        }
        EXPECT_EQ(table_->record_state(handle, state, &arguments), 0);
    }
    void finalize(void* context) { EXPECT_EQ(table_->finalize(context), 0); }

    Descriptor of_type(std::uint64_t type, void* parent = nullptr) const {
        Descriptor descriptor{};
        descriptor.type = static_cast<decltype(descriptor.type)>(type);
        descriptor.parent = parent;
        descriptor.rank = rank_;
        return descriptor;
    }
    Descriptor coll(std::uint64_t sequence, std::uint8_t channels = 2, void* parent = nullptr) const {
        Descriptor descriptor = of_type(abi::kColl, parent);
        if constexpr (V::kNumber == 1) {
            descriptor.coll.function = 4;  // AllReduce
            descriptor.coll.datatype = 7;  // float32
            descriptor.coll.algorithm = 1;
            descriptor.coll.protocol = 1;
            fill(descriptor.coll, sequence, channels);
        } else if constexpr (V::kNumber <= 3) {
            names(descriptor.coll);
            fill(descriptor.coll, sequence, channels);
        } else if constexpr (V::kNumber == 4) {
            names(descriptor.coll);
            fill(descriptor.coll, sequence, channels);
        } else {
            names(descriptor.coll.fields);
            fill(descriptor.coll.fields, sequence, channels);
        }
        return descriptor;
    }
    Descriptor p2p(int peer, bool send, std::uint8_t channels = 1, void* parent = nullptr) const {
        Descriptor descriptor = of_type(abi::kP2p, parent);
        if constexpr (V::kNumber == 1) {
            descriptor.p2p.function = send ? 6 : 7;
            descriptor.p2p.datatype = 9;
            fill_p2p(descriptor.p2p, peer, channels);
        } else {
            const auto with_names = [&](auto& p2p) {
                p2p.function = send ? "Send" : "Recv";
                p2p.datatype = "ncclBfloat16";
                fill_p2p(p2p, peer, channels);
            };
            if constexpr (V::kNumber <= 4) {
                with_names(descriptor.p2p);
            } else {
                with_names(descriptor.p2p.fields);
            }
        }
        return descriptor;
    }
    Descriptor kernel(void* parent, std::uint8_t channel, std::uint64_t timer) const {
        Descriptor descriptor = of_type(abi::kKernelCh, parent);
        if constexpr (kKernels) {
            descriptor.kernel.channel = channel;
        }
        if constexpr (kTimers) {
            descriptor.kernel.timer = timer;
        }
        return descriptor;
    }
    Descriptor proxy(void* parent, int peer, bool send, int pid = getpid(), std::uint8_t channel = 0) const {
        Descriptor descriptor = of_type(abi::kProxyOp, parent);
        descriptor.proxy_op = {.pid = pid,
                               .channel = channel,
                               .peer = peer,
                               .steps = 8,
                               .chunk_bytes = 4096,
                               .send = send ? 1 : 0};
        return descriptor;
    }
    Descriptor step(void* parent, int number) const {
        Descriptor descriptor = of_type(abi::kProxyStep, parent);
        descriptor.proxy_step.step = number;
        return descriptor;
    }
    Descriptor group_api(bool captured = false) const {
        Descriptor descriptor = of_type(abi::kGroupApi);
        if constexpr (kCalls) {
            descriptor.group_api = {captured, 1};
        }
        return descriptor;
    }
    Descriptor coll_api(void* group, bool captured = false) const {
        Descriptor descriptor = of_type(abi::kCollApi, group);
        if constexpr (kCalls) {
            descriptor.coll_api = {.function = "AllReduce",
                                   .count = 1000,
                                   .datatype = "ncclFloat32",
                                   .root = 0,
                                   .stream = nullptr,
                                   .captured = captured};
        }
        return descriptor;
    }

    /// All channels of a kernel, from start to stop.
    void run_kernel(void* context, void* parent, std::uint8_t channels, std::uint64_t start,
                    std::uint64_t stop) {
        for (std::uint8_t channel = 0; kKernels && channel < channels; ++channel) {
            void* handle = this->start(context, kernel(parent, channel, start + channel));
            state(handle, abi::kKernelChStop, stop + channel);
            this->stop(handle);
        }
    }

private:
    template <typename Coll>
    void fill(Coll& coll, std::uint64_t sequence, std::uint8_t channels) const {
        coll.sequence = sequence;
        coll.count = 1000;
        coll.root = 0;
        coll.channels = channels;
        coll.warps = 4;
        if constexpr (requires { coll.hash; }) {
            coll.hash = id_;
            coll.name = "comm";
        }
    }
    template <typename Coll>
    static void names(Coll& coll) {
        coll.function = "AllReduce";
        coll.datatype = "ncclFloat32";
        coll.algorithm = "RING";
        coll.protocol = "LL128";
    }
    template <typename P2p>
    void fill_p2p(P2p& p2p, int peer, std::uint8_t channels) const {
        p2p.count = 10;
        p2p.peer = peer;
        if constexpr (requires { p2p.channels; }) {
            p2p.channels = channels;
        } else {
            p2p.hash = id_;
            p2p.name = "comm";
        }
    }

    typename V::Plugin* table_;
    int mask_ = 0;
    int rank_ = 0;
    std::uint64_t id_ = 0;
};

/// The library reads its variables once per process: each test is a process. True when nothing in it failed.
inline bool in_own_process(const std::function<void()>& body) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        try {
            body();
        } catch (const std::exception& problem) {
            ADD_FAILURE() << problem.what();
        }
        std::fflush(nullptr);
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

inline std::vector<std::filesystem::path> ring_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".ring") {
            files.push_back(entry.path());
        }
    }
    return files;
}

/// The one file of this process's folder.
inline Reader reader_of(const TemporaryFolder& folder) {
    const auto files = ring_files(folder.path());
    if (files.size() != 1) {
        throw std::runtime_error(std::to_string(files.size()) + " files instead of one");
    }
    auto reader = Reader::open(files.front());
    if (!reader) {
        throw std::runtime_error("the file cannot be read");
    }
    return std::move(*reader);
}

inline void observe_into(const TemporaryFolder& folder, const char* level = "2") {
    setenv("RANKSCOPE_NCCL_DIR", folder.path().c_str(), 1);
    setenv("RANKSCOPE_NCCL_LEVEL", level, 1);
    unsetenv("RANKSCOPE_NCCL_CHAIN");
}

inline std::vector<Record> of_kind(const std::vector<Record>& records, RecordKind kind) {
    std::vector<Record> result;
    std::copy_if(records.begin(), records.end(), std::back_inserter(result),
                 [&](const Record& record) { return record.kind == kind; });
    return result;
}

}  // namespace rankscope::nccl::test
