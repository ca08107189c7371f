// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A user's own profiler plugin, versions 2 and 5. Its handles are pointers, as those of most plugins; it counts each
// pointer that is not its own.

#include <remote/nccl_profiler/abi_v2.h>
#include <remote/nccl_profiler/abi_v5.h>

#include <tests/engine/nccl_profiler/chained_plugin.h>

#include <mutex>
#include <set>

namespace rankscope::nccl::test {
namespace {

struct Object {
    bool context = false;
    bool stopped = false;
};

std::mutex mutex;
std::set<const void*> own;  // never freed: a parent may be stopped long ago

}  // namespace
}  // namespace rankscope::nccl::test

extern "C" {
[[gnu::visibility("default")]] rankscope::nccl::test::ChainedCounts chained_counts;
}

namespace rankscope::nccl::test {
namespace {

void* make(bool context) {
    auto* object = new Object{context, false};
    own.insert(object);
    return object;
}

bool is_own(const void* pointer, bool context) {
    if (own.count(pointer) == 0 || static_cast<const Object*>(pointer)->context != context) {
        ++chained_counts.wrong;
        return false;
    }
    return true;
}

int open(void** context, int* mask, int wanted) {
    const std::lock_guard lock(mutex);
    *context = make(true);
    *mask = wanted;
    chained_counts.mask = mask;
    ++chained_counts.contexts;
    return 0;
}

template <typename Descriptor>
int start(void* context, void** handle, Descriptor* descriptor) {
    const std::lock_guard lock(mutex);
    ++chained_counts.started;
    if (is_own(context, true) && descriptor->parent != nullptr && is_own(descriptor->parent, false)) {
        ++chained_counts.with_parent;
    }
    if constexpr (requires { descriptor->coll.group; }) {
        if (descriptor->type == abi::kColl && descriptor->coll.group != nullptr &&
            is_own(descriptor->coll.group, false)) {
            ++chained_counts.with_group;
        }
    }
    *handle = make(false);
    return 0;
}

int stop(void* handle) {
    const std::lock_guard lock(mutex);
    if (is_own(handle, false)) {
        auto* object = static_cast<Object*>(handle);
        chained_counts.wrong += object->stopped ? 1 : 0;
        object->stopped = true;
        ++chained_counts.stopped;
    }
    return 0;
}

template <typename Arguments>
int state(void* handle, int /*state*/, Arguments* /*arguments*/) {
    const std::lock_guard lock(mutex);
    if (is_own(handle, false)) {
        ++chained_counts.states;
    }
    return 0;
}

int finalize(void* context) {
    const std::lock_guard lock(mutex);
    if (is_own(context, true)) {
        ++chained_counts.finalized;
    }
    return 0;
}

}  // namespace
}  // namespace rankscope::nccl::test

extern "C" {
using namespace rankscope::nccl;
[[gnu::visibility("default")]] abi::v2::Plugin ncclProfiler_v2 = {
    "Own",
    [](void** context, int* mask) {
        return test::open(context, mask, abi::kColl | abi::kP2p | abi::kProxyOp);
    },
    test::start<abi::v2::Descriptor>,
    test::stop,
    test::state<abi::StateArguments3>,
    test::finalize};
[[gnu::visibility("default")]] abi::v5::Plugin ncclProfiler_v5 = {
    "Own",
    [](void** context, std::uint64_t, int* mask, const char*, int, int, int, abi::Logger) {
        return test::open(context, mask, abi::kKernelCh | abi::kProxyOp);
    },
    test::start<abi::v5::Descriptor>,
    test::stop,
    test::state<abi::StateArguments4>,
    test::finalize};
}
