// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <tests/engine/emulated_cuda/emulated_stream.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using Action = std::function<void()>;

/// Something to do; `after` are what must have been done before.
struct Node {
    Action action;
    std::vector<std::shared_ptr<Node>> after;
    bool done = false;
    int priority = 0;
};
using NodeRef = std::shared_ptr<Node>;

std::mt19937& random_order() {
    static std::mt19937 one(1);
    return one;
}

void run(const NodeRef& node) {
    if (node->done) {
        return;
    }
    std::vector<NodeRef> before = node->after;
    std::shuffle(before.begin(), before.end(), random_order());
    for (const NodeRef& earlier : before) {
        run(earlier);
    }
    node->after.clear();
    node->done = true;
    if (node->action) {
        node->action();
        node->action = nullptr;
    }
}

}  // namespace

// CUDA's opaque types.
struct CUgraph_st {
    std::vector<NodeRef> nodes;
};
struct CUgraphExec_st {
    std::vector<NodeRef> nodes;
};
struct CUevent_st {
    std::vector<NodeRef> at;
    CUgraph_st* recorded_into = nullptr;
};
struct CUstream_st {
    int priority = 0;
    std::vector<NodeRef> last;
    CUgraph_st* recorded_into = nullptr;
};

namespace {

std::set<CUstream_st*>& streams() {
    static std::set<CUstream_st*> all;
    return all;
}
CUstream_st& default_stream() {
    static CUstream_st one;
    return one;
}
CUstream_st& stream_of(cudaStream_t stream) {
    return stream == nullptr ? default_stream() : *stream;
}
std::map<void*, std::size_t>& device_memory() {
    static std::map<void*, std::size_t> all;
    return all;
}
std::map<const void*, std::size_t>& pinned_memory() {
    static std::map<const void*, std::size_t> all;
    return all;
}
std::size_t in_use = 0;
std::size_t most = 0;
cudaError_t last_error = cudaSuccess;
cudaError_t lasting_error = cudaSuccess;
std::set<int> recorded_priorities;

cudaError_t fail(cudaError_t code) {
    last_error = code;
    return code;
}

/// What CUDA refuses while a stream of this thread is being recorded.
bool recording() {
    return std::any_of(streams().begin(), streams().end(),
                       [](const CUstream_st* stream) { return stream->recorded_into != nullptr; });
}

bool is_pinned(const void* data) {
    const auto after = pinned_memory().upper_bound(data);
    if (after == pinned_memory().begin()) {
        return false;
    }
    const auto found = std::prev(after);
    return static_cast<const char*>(data) < static_cast<const char*>(found->first) + found->second;
}

void drain() {
    std::vector<CUstream_st*> all(streams().begin(), streams().end());
    all.push_back(&default_stream());
    std::shuffle(all.begin(), all.end(), random_order());
    for (CUstream_st* stream : all) {
        if (stream->recorded_into == nullptr) {
            for (const NodeRef& node : stream->last) {
                run(node);
            }
            stream->last.clear();
        }
    }
}

}  // namespace

namespace emulated {

void enqueue(cudaStream_t stream, std::function<void()> action) {
    CUstream_st& on = stream_of(stream);
    auto node = std::make_shared<Node>();
    node->action = std::move(action);
    node->after = on.last;
    node->priority = on.priority;
    if (on.recorded_into != nullptr) {
        on.recorded_into->nodes.push_back(node);
    }
    on.last = {node};
}

void seed(unsigned number) {
    random_order().seed(number);
}

std::size_t allocated() {
    return in_use;
}

void limit_memory(std::size_t bytes) {
    most = bytes;
}

std::set<int> take_recorded_priorities() {
    return std::exchange(recorded_priorities, {});
}

void fail_for_good(cudaError_t code) {
    lasting_error = code;
}

}  // namespace emulated

// NOLINTBEGIN: CUDA's signatures
extern "C" {

const char* cudaGetErrorString(cudaError_t code) {
    return code == cudaSuccess ? "no error" : (code == cudaErrorMemoryAllocation ? "out of memory" : "error");
}
cudaError_t cudaGetLastError() {
    return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaSetDevice(int) {
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strcpy(properties->name, "emulated");
    properties->totalGlobalMem = std::size_t{8} << 30;
    properties->major = 9;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
    *total = most != 0 ? most : std::size_t{8} << 30;
    *available = *total - std::min(*total, in_use);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    if (recording()) {
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    if (most != 0 && in_use + bytes > most) {
        return fail(cudaErrorMemoryAllocation);
    }
    *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(*data, 0xff, (bytes + 255) / 256 * 256);  // not a number, in every type
    device_memory()[*data] = bytes;
    in_use += bytes;
    return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
    if (recording()) {
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    drain();
    const auto found = device_memory().find(data);
    if (found != device_memory().end()) {
        in_use -= found->second;
        device_memory().erase(found);
        std::free(data);
    }
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
    if (recording()) {
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    pinned_memory()[*data] = bytes;
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
    if (recording()) {
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    drain();
    pinned_memory().erase(data);
    std::free(data);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
    if (recording()) {
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    // Waits for the default stream only, as CUDA does beside streams that do not block.
    cudaStreamSynchronize(nullptr);
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    if (kind == cudaMemcpyHostToDevice && !is_pinned(from)) {
        // Ordinary memory is read before the call returns.
        const auto* begin = static_cast<const char*>(from);
        emulated::enqueue(stream, [to, kept = std::vector<char>(begin, begin + bytes)] {
            std::memcpy(to, kept.data(), kept.size());
        });
        return cudaSuccess;
    }
    emulated::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    if (recording()) {
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    emulated::enqueue(nullptr, [=] { std::memset(to, value, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    emulated::enqueue(stream, [=] { std::memset(to, value, bytes); });
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int priority) {
    *stream = new CUstream_st;
    (*stream)->priority = priority;
    streams().insert(*stream);
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return cudaStreamSynchronize(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    streams().erase(stream);
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (recording()) {
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    CUstream_st& on = stream_of(stream);
    for (const NodeRef& node : on.last) {
        run(node);
    }
    on.last.clear();
    return lasting_error;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    CUstream_st& on = stream_of(stream);
    on.last.insert(on.last.end(), event->at.begin(), event->at.end());
    if (event->recorded_into != nullptr) {
        on.recorded_into = event->recorded_into;
    }
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = new CUevent_st;
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    event->at = stream_of(stream).last;
    event->recorded_into = stream_of(stream).recorded_into;
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (recording()) {
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    for (const NodeRef& node : event->at) {
        run(node);
    }
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return cudaEventSynchronize(event);
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
    *ms = 1.0F;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    CUstream_st& on = stream_of(stream);
    for (const NodeRef& node : on.last) {
        run(node);
    }
    on.last.clear();
    on.recorded_into = new CUgraph_st;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    CUstream_st& on = stream_of(stream);
    *graph = on.recorded_into;
    // Work on a stream that was not joined back is lost: CUDA refuses that.
    std::set<Node*> reached;
    std::vector<NodeRef> open = on.last;
    while (!open.empty()) {
        const NodeRef node = open.back();
        open.pop_back();
        if (reached.insert(node.get()).second) {
            open.insert(open.end(), node->after.begin(), node->after.end());
        }
    }
    const bool joined = std::all_of((*graph)->nodes.begin(), (*graph)->nodes.end(),
                                    [&](const NodeRef& node) { return reached.count(node.get()) != 0; });
    for (CUstream_st* other : streams()) {
        if (other->recorded_into == *graph) {
            other->recorded_into = nullptr;
            other->last.clear();
        }
    }
    return joined ? cudaSuccess : fail(cudaErrorStreamCaptureUnjoined);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    for (const NodeRef& node : graph->nodes) {
        recorded_priorities.insert((flags & cudaGraphInstantiateFlagUseNodePriority) != 0 ? node->priority
                                                                                          : 0);
    }
    *executable = new CUgraphExec_st{graph->nodes};
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    CUstream_st& on = stream_of(stream);
    // A copy of the recorded nodes; those without a predecessor follow what is on the stream.
    std::map<Node*, NodeRef> copies;
    std::set<Node*> followed;
    std::vector<NodeRef> added;
    for (const NodeRef& node : executable->nodes) {
        auto copy = std::make_shared<Node>();
        copy->action = node->action;
        for (const NodeRef& earlier : node->after) {
            if (copies.count(earlier.get()) != 0) {
                copy->after.push_back(copies[earlier.get()]);
                followed.insert(earlier.get());
            }
        }
        if (copy->after.empty()) {
            copy->after = on.last;
        }
        copies[node.get()] = copy;
        added.push_back(copy);
    }
    std::vector<NodeRef> last;
    for (const NodeRef& node : executable->nodes) {
        if (followed.count(node.get()) == 0) {
            last.push_back(copies[node.get()]);
        }
    }
    if (!last.empty()) {
        on.last = last;
    }
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    delete executable;
    return cudaSuccess;
}

}  // extern "C"
// NOLINTEND
