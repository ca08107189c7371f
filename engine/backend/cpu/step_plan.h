// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/aligned_buffer.h>
#include <engine/graph/graph.h>

#include <dnnl.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/// The executable list of a step: primitives and kernels over buffers that are placed once, then replayed.
namespace rankscope::engine::cpu {

using BufferId = std::size_t;

/// Collects steps and buffers, then places the buffers and binds the steps to their addresses.
class StepPlan {
public:
    /// A buffer of the arena; its life is from the first to the last step that names it.
    BufferId buffer(std::size_t bytes);
    /// A buffer that lives elsewhere (weights, gradients, input).
    BufferId external(void* address);

    using Pointer = std::function<void*(BufferId)>;
    using Run = std::function<void()>;

    /// A kernel of ours: `bind` is called once, when every address is known.
    void kernel(const std::vector<BufferId>& touches, std::function<Run(const Pointer&)> bind,
                std::vector<ParameterId> finished = {});

    struct Argument {
        int slot;  ///< DNNL_ARG_…
        dnnl::memory::desc descriptor;
        BufferId buffer;
    };
    /// A oneDNN primitive; its scratchpad is planned like any buffer.
    void primitive(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
                   std::vector<Argument> arguments, std::vector<ParameterId> finished = {});

    /// The value in another layout; the same buffer when the layouts agree.
    BufferId reorder(BufferId from, const dnnl::memory::desc& from_desc, const dnnl::memory::desc& to_desc);
    void reorder_into(BufferId from, const dnnl::memory::desc& from_desc, BufferId to,
                      const dnnl::memory::desc& to_desc, std::vector<ParameterId> finished = {});

    /// The buffer holds, after the latest step, the result with this name.
    void note_result(std::string name, BufferId buffer, std::size_t count, bool bf16) {
        results_.push_back({std::move(name), buffer, count, bf16, steps_.size()});
    }
    struct Result {
        std::string name;
        BufferId buffer = 0;
        std::size_t count = 0;  ///< elements
        bool bf16 = false;      ///< not float
        std::size_t steps = 0;  ///< steps [0, steps) make it
    };
    const std::vector<Result>& results() const { return results_; }

    explicit StepPlan(const dnnl::engine& engine) : engine_(engine), stream_(engine) {}

    std::size_t size() const { return steps_.size(); }
    /// Reorders that the plan contains: each is a pass over memory that a better layout would save.

    /// Places and binds, in memory from `allocate`; the plan cannot grow afterwards.
    void bind(const std::function<AlignedBuffer(std::size_t bytes)>& allocate);
    /// Runs steps [begin, end); `ready` is called with each finished parameter.
    void run(std::size_t begin, std::size_t end, const std::function<void(ParameterId)>& ready);
    void* address(BufferId id) const;
    std::size_t arena_bytes() const { return arena_.bytes(); }
    /// Keeps a buffer alive from the first to the last step (read from outside).
    void pin(BufferId id) { buffers_[id].pinned = true; }

private:
    struct Buffer {
        std::size_t bytes = 0;
        void* external = nullptr;
        std::size_t first = std::numeric_limits<std::size_t>::max();
        std::size_t last = 0;
        std::size_t offset = 0;
        bool pinned = false;
    };
    struct Step {
        std::function<Run(const Pointer&)> bind;
        Run run;
        std::vector<ParameterId> finished;
    };

    dnnl::engine engine_;
    dnnl::stream stream_;
    std::vector<Buffer> buffers_;
    std::vector<Step> steps_;
    AlignedBuffer arena_;
    std::vector<Result> results_;
};

}  // namespace rankscope::engine::cpu
