// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/device_memory.h>
#include <engine/backend/cuda/lane_schedule.h>
#include <engine/backend/cuda/stream.h>
#include <engine/graph/graph.h>
#include <engine/tensor/element_type.h>

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// The operations of a step over buffers that are placed once; then run one after the other, or enqueued over
/// several streams (and, with them, recorded into a CUDA graph).
namespace rankscope::engine::cuda {

using BufferId = std::size_t;

/// An operation whose memory is known. `run` enqueues it on a stream.
struct StepOperation {
    std::string name{};
    Lane lane = Lane::main;
    std::vector<MemoryTouch> touches{};
    std::function<void(cudaStream_t)> run{};
    std::vector<ParameterId> finished{};  ///< parameters whose gradient is complete once this has run
    /// Those of `finished` whose gradient lies in 16 bits (ParameterPlace::half_gradient), still to be converted.
    std::vector<ParameterId> in_halves{};
    bool sums_over_ranks = false;  ///< with a collective of its own (synchronised batch norms)
    std::size_t kernels = 1;       ///< launches
    std::size_t bytes = 0;         ///< read and written, without scratch memory
};

/// Enqueues the operations, each on its lane's stream, with the waits between the lanes that their memory
/// demands; all of it begins after what is on streams[0] (the main lane's) and is joined to it at the end.
/// `events` are reused from call to call.
void enqueue_over_lanes(const std::vector<const StepOperation*>& operations,
                        const std::array<cudaStream_t, kLanes>& streams, std::vector<Event>& events);

/// Collects operations and buffers, then places the buffers and binds the operations to their addresses.
class StepPlan {
public:
    /// A buffer of the arena; its life is from the first to the last operation that names it.
    BufferId buffer(std::size_t bytes);
    /// The same for what only one operation uses: a library's workspace, partial sums. The operations of another lane
    /// than the main one share theirs: they run one after the other.
    BufferId scratch(std::size_t bytes, Lane lane = Lane::main);
    /// A buffer that lives elsewhere (weights, gradients, input).
    BufferId external(void* address, std::size_t bytes);
    /// A small buffer of its own, zero before the first run: counters that operations leave at zero.
    BufferId zeroed(std::size_t bytes);

    using Pointer = std::function<void*(BufferId)>;
    using Run = std::function<void(cudaStream_t)>;
    struct Operation {
        std::string name;
        std::vector<BufferId> reads;
        std::vector<BufferId> writes;             ///< and perhaps reads too
        std::function<Run(const Pointer&)> bind;  ///< called once, when every address is known
        Lane lane = Lane::main;
        std::vector<ParameterId> finished{};
        std::size_t kernels = 1;
        std::vector<ParameterId> in_halves{};
        bool sums_over_ranks = false;
    };
    void add(Operation operation);

    /// The buffer holds, after the latest operation, the result with this name.
    void note_result(std::string name, BufferId buffer, std::size_t elements, ElementType type) {
        results_.push_back({std::move(name), buffer, elements, type, operations_.size()});
    }
    struct Result {
        std::string name;
        BufferId buffer = 0;
        std::size_t elements = 0;
        ElementType type = ElementType::f32;
        std::size_t operations = 0;  ///< [0, operations) make it
    };
    const std::vector<Result>& results() const { return results_; }

    std::size_t size() const { return operations_.size(); }
    /// Memory of the side lane is used again soon, also where there is enough: the main lane then waits for it.
    void save_memory() { saves_memory_ = true; }
    /// Places and binds; the plan cannot grow afterwards. `what` and `remedy` as for DeviceMemory.
    void bind(const std::string& what, const std::string& remedy);
    /// The same at addresses where nothing lies: operations can be counted, not run.
    void bind_without_memory();
    const std::vector<StepOperation>& operations() const { return bound_; }
    /// Enqueues operations [begin, end) on one stream, one after the other.
    void run(std::size_t begin, std::size_t end, cudaStream_t stream) const;

    void* address(BufferId id) const;
    std::size_t bytes() const { return arena_bytes_ + zeroed_bytes_; }
    /// Keeps a buffer alive from the first to the last operation (read from outside).
    void pin(BufferId id) { buffers_[id].pinned = true; }

private:
    enum class Home { arena, external, zeroed };
    struct Buffer {
        std::size_t bytes = 0;
        Home home = Home::arena;
        void* external = nullptr;
        std::size_t first = std::numeric_limits<std::size_t>::max();
        std::size_t last = 0;       ///< … operation of the main lane
        std::size_t last_late = 0;  ///< … of another lane: it may run later than it stands in the list
        std::size_t offset = 0;
        bool pinned = false;
        bool scratch = false;
    };
    /// For `slack` operations of the main lane, memory that another lane uses is not used again.
    void place(std::size_t slack);
    void bind_at(std::byte* arena, std::byte* zeroed);

    std::vector<Buffer> buffers_;
    std::vector<Operation> operations_;
    std::vector<StepOperation> bound_;
    std::vector<Result> results_;
    DeviceMemory arena_;
    DeviceMemory zeroed_;
    std::array<std::optional<BufferId>, kLanes> scratch_{};
    std::byte* arena_begin_ = nullptr;
    std::byte* zeroed_begin_ = nullptr;
    std::size_t arena_bytes_ = 0;
    std::size_t zeroed_bytes_ = 0;
    bool saves_memory_ = false;
};

}  // namespace rankscope::engine::cuda
