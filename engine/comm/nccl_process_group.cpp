// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/abort_flag.h>
#include <engine/comm/nccl_communicator.h>
#include <engine/comm/nccl_error.h>
#include <engine/comm/nccl_memory.h>
#include <engine/comm/nccl_process_group.h>
#include <engine/comm/reduce.h>
#include <engine/comm/work_queue.h>
#include <engine/cuda_check.h>
#include <engine/error.h>

#include <nccl.h>

#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// A short operation is over before a sleep would be.
constexpr auto kSpin = 100us;
constexpr auto kGroupNap = 50us;

/// Device memory that frees itself.
class DeviceBytes {
public:
    explicit DeviceBytes(std::size_t bytes) { cuda_check(cudaMalloc(&data_, bytes), "cudaMalloc"); }
    ~DeviceBytes() { cudaFree(data_); }
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;
    void* data() const { return data_; }

private:
    void* data_ = nullptr;
};

ncclConfig_t non_blocking() {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    return config;
}

ncclDataType_t nccl_type(ElementType type) {
    switch (type) {
        case ElementType::f32:
            return ncclFloat32;
        case ElementType::bf16:
            return ncclBfloat16;
        case ElementType::f16:
            return ncclFloat16;
        case ElementType::f64:
            return ncclFloat64;
    }
    throw Error("NCCL: unknown element type");
}

class NcclGroup final : public ProcessGroup {
public:
    NcclGroup(const NcclOptions& options, std::shared_ptr<NcclCommunicator> communicator,
              const std::vector<int>& members, const std::string& name)
        : options_(options),
          communicator_(std::move(communicator)),
          members_(members),
          record_(
              options_.recorder->add(name, members, [this](const std::string& why) { aborted_.set(why); })) {
        cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    }

    ~NcclGroup() override {
        options_.recorder->drop(record_);
        aborted_.set("the process group was closed");
        queue_.reset();  // its thread uses the communicator
        communicator_->abort();
        cudaStreamDestroy(stream_);
    }

    int rank() const override { return options_.rank; }
    int size() const override { return options_.world_size; }
    std::string_view backend() const override { return "nccl"; }
    std::string transport() const override { return "NCCL"; }

    std::shared_ptr<float> allocate(std::size_t count) override {
        cuda_check(cudaSetDevice(options_.device), "cudaSetDevice");
        return allocate_for_nccl(communicator_, count, options_.connect_timeout, aborted_);
    }

    Work all_reduce(const Reduction& reduction, When when) override {
        return queue_->submit(
            [this, pieces = std::vector<Piece>(reduction.pieces.begin(), reduction.pieces.end()),
             type = reduction.type,
             scale = reduction.scale] { reduce_now({.pieces = pieces, .type = type, .scale = scale}); },
            when);
    }

    void sum(std::span<float> values) override {
        const Piece piece{values.data(), values.size()};
        queue_->run([&] { reduce_now({.pieces = {&piece, 1}}); });
    }

    void sum(std::span<double> values) override {
        queue_->run([&] {
            cuda_check(cudaSetDevice(options_.device), "cudaSetDevice");
            const DeviceBytes memory(values.size_bytes());
            put(memory, values.data(), values.size_bytes());
            const Piece piece{memory.data(), values.size()};
            reduce_now({.pieces = {&piece, 1}, .type = ElementType::f64});
            cuda_check(cudaMemcpy(values.data(), memory.data(), values.size_bytes(), cudaMemcpyDeviceToHost),
                       "cudaMemcpy");
        });
    }

    void broadcast(std::span<std::byte> bytes, int root) override {
        queue_->run([&] {
            complete(CollectiveKind::broadcast, bytes.size(), [&] {
                return ncclBroadcast(bytes.data(), bytes.data(), bytes.size(), ncclInt8, root,
                                     communicator_->handle, stream_);
            });
        });
    }

    std::vector<std::string> all_gather(const std::string& bytes) override {
        std::vector<std::string> result(static_cast<std::size_t>(size()), std::string(bytes.size(), '\0'));
        queue_->run([&] { gather(CollectiveKind::all_gather, bytes, result); });
        return result;
    }

    void barrier() override {
        std::vector<std::string> result(static_cast<std::size_t>(size()), ".");
        queue_->run([&] { gather(CollectiveKind::barrier, ".", result); });
    }

    std::unique_ptr<ProcessGroup> split(int colour) override {
        std::string mine(sizeof(colour), '\0');
        std::memcpy(mine.data(), &colour, sizeof(colour));
        const std::vector<std::string> colours = all_gather(mine);
        NcclOptions options = options_;
        std::vector<int> members;
        for (std::size_t i = 0; i < colours.size(); ++i) {
            if (static_cast<int>(i) == rank()) {
                options.rank = static_cast<int>(members.size());
            }
            if (colours[i] == mine) {
                members.push_back(members_[i]);
            }
        }
        options.world_size = static_cast<int>(members.size());
        const std::string name =
            record_->name() + "/" + std::to_string(++splits_) + "." + std::to_string(colour);
        auto part = std::make_shared<NcclCommunicator>();
        queue_->run([&] {
            ncclConfig_t config = non_blocking();
            const ncclResult_t code =
                ncclCommSplit(communicator_->handle, colour < 0 ? NCCL_SPLIT_NOCOLOR : colour, rank(),
                              &part->handle, &config);
            communicator_->settle(code, options_.connect_timeout, aborted_, "ncclCommSplit");
            if (part->handle != nullptr) {
                part->settle(part->state("ncclCommSplit"), options_.connect_timeout, aborted_,
                             "ncclCommSplit");
            }
        });
        return colour < 0 ? nullptr : std::make_unique<NcclGroup>(options, std::move(part), members, name);
    }

    void abort(const std::string& why) override { aborted_.set(why); }

    void enqueue(const Reduction& reduction, void* queue) override {
        healthy({});
        // A non-blocking communicator launches on a thread of its own: until it has, the queue (or the graph
        // that is being recorded) does not hold the operation.
        communicator_->settle(start(reduction, static_cast<cudaStream_t>(queue)), options_.collective_timeout,
                              aborted_, "ncclAllReduce");
    }

    void enqueued(std::size_t bytes, std::function<bool()> ended) override {
        record_->start_queued(CollectiveKind::step, bytes, std::move(ended));
    }

    void healthy(std::chrono::milliseconds waited) override {
        aborted_.check();
        communicator_->state("collective");
        if (waited > options_.collective_timeout) {
            aborted_.set("NCCL: a training step did not end within " +
                         std::to_string(options_.collective_timeout.count() / 1000) +
                         " s: another rank hangs or is gone");
            aborted_.check();
        }
    }

private:
    /// All pieces as one launch.
    ncclResult_t start(const Reduction& reduction, cudaStream_t stream) {
        const ncclDataType_t type = nccl_type(reduction.type);
        const bool average = reduction.scale == 1.0F / static_cast<float>(size());
        ncclRedOp_t operation = average ? ncclAvg : ncclSum;
        const bool scaled = !average && reduction.scale != 1.0F;
        std::unique_lock lock(communicator_->mutex);  // NCCL completes the call before in the background here
        if (scaled) {
            std::uint16_t half = 0;
            float single = reduction.scale;
            double wide = reduction.scale;
            void* scalar = &single;
            if (reduction.type == ElementType::f64) {
                scalar = &wide;
            } else if (reduction.type != ElementType::f32) {
                encode(reduction.type, 1.0F, {&single, 1}, &half);
                scalar = &half;
            }
            nccl_check(ncclRedOpCreatePreMulSum(&operation, scalar, type, ncclScalarHostImmediate,
                                                communicator_->handle),
                       "ncclRedOpCreatePreMulSum");
        }
        nccl_check(ncclGroupStart(), "ncclGroupStart");
        ncclResult_t refused = ncclSuccess;
        for (const Piece& piece : reduction.pieces) {
            refused = ncclAllReduce(piece.data, piece.data, piece.count, type, operation,
                                    communicator_->handle, stream);
            if (refused != ncclSuccess && refused != ncclInProgress) {
                break;  // the group must end in any case: NCCL counts per thread
            }
        }
        const ncclResult_t code = ncclGroupEnd();
        nccl_check(refused, "ncclAllReduce");
        nccl_check(code, "ncclGroupEnd");
        lock.unlock();
        if (scaled) {
            communicator_->settle(code, options_.collective_timeout, aborted_, "ncclAllReduce");
            lock.lock();
            nccl_check(ncclRedOpDestroy(operation, communicator_->handle), "ncclRedOpDestroy");
        }
        return code;
    }

    /// On the group's stream, which does not wait for the default one.
    void put(const DeviceBytes& to, const void* from, std::size_t bytes) {
        cuda_check(cudaMemcpyAsync(to.data(), from, bytes, cudaMemcpyHostToDevice, stream_),
                   "cudaMemcpyAsync");
    }

    void reduce_now(const Reduction& reduction) {
        complete(CollectiveKind::all_reduce, reduction.bytes(), [&] { return start(reduction, stream_); });
    }

    void gather(CollectiveKind operation, const std::string& bytes, std::vector<std::string>& result) {
        cuda_check(cudaSetDevice(options_.device), "cudaSetDevice");
        const DeviceBytes mine(bytes.size());
        const DeviceBytes all(bytes.size() * result.size());
        put(mine, bytes.data(), bytes.size());
        complete(operation, bytes.size(), [&] {
            return ncclAllGather(mine.data(), all.data(), bytes.size(), ncclInt8, communicator_->handle,
                                 stream_);
        });
        std::string joined(bytes.size() * result.size(), '\0');
        cuda_check(cudaMemcpy(joined.data(), all.data(), joined.size(), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        for (std::size_t rank = 0; rank < result.size(); ++rank) {
            result[rank] = joined.substr(rank * bytes.size(), bytes.size());
        }
    }

    /// Enqueues an operation and waits for its end on the device.
    template <typename Start>
    void complete(CollectiveKind operation, std::size_t bytes, const Start& begin) {
        aborted_.check();
        cuda_check(cudaSetDevice(options_.device), "cudaSetDevice");
        record_->start(operation, bytes);
        const auto began = Clock::now();
        communicator_->settle(begin(), options_.collective_timeout, aborted_, name_of(operation));
        for (;;) {
            const cudaError_t state = cudaStreamQuery(stream_);
            if (state == cudaSuccess) {
                break;
            }
            if (state != cudaErrorNotReady) {
                cuda_check(state, name_of(operation));
            }
            const auto waited = Clock::now() - began;
            if (waited < kSpin) {
                continue;
            }
            // Abandoned, not aborted: ncclCommAbort waits until the last graph that holds a collective is gone
            // (NCCL's commDestroySync), and this may be the thread that owns the graphs.
            healthy({});
            if (waited > options_.collective_timeout) {
                aborted_.set("NCCL: " + describe(operation, record_->state().sequence, bytes) +
                             " did not end within " +
                             std::to_string(options_.collective_timeout.count() / 1000) +
                             " s: another rank hangs or is gone");
                aborted_.check();
            }
            std::this_thread::sleep_for(kGroupNap);
        }
        record_->finish();
    }

    NcclOptions options_;
    std::shared_ptr<NcclCommunicator> communicator_;
    std::vector<int> members_;  ///< ranks of the world, by rank in the group
    AbortFlag aborted_;
    std::shared_ptr<GroupRecord> record_;
    cudaStream_t stream_ = nullptr;
    int splits_ = 0;
    std::unique_ptr<WorkQueue> queue_ = std::make_unique<WorkQueue>();
};

}  // namespace

std::unique_ptr<ProcessGroup> make_nccl_process_group(const NcclOptions& given, Store& store) {
    NcclOptions options = given;
    if (!options.recorder) {
        options.recorder = std::make_shared<FlightRecorder>();
    }
    cuda_check(cudaSetDevice(options.device), "cudaSetDevice");
    ncclUniqueId id{};
    if (options.rank == 0) {
        nccl_check(ncclGetUniqueId(&id), "ncclGetUniqueId");
        store.set("nccl/id", std::string(id.internal, sizeof(id.internal)));
    } else {
        const auto text = store.get("nccl/id", options.connect_timeout);
        if (!text || text->size() != sizeof(id.internal)) {
            throw Error("rank 0 did not publish its NCCL id in time");
        }
        std::memcpy(id.internal, text->data(), sizeof(id.internal));
    }
    const AbortFlag never;
    auto communicator = std::make_shared<NcclCommunicator>();
    ncclConfig_t config = non_blocking();
    const ncclResult_t code =
        ncclCommInitRankConfig(&communicator->handle, options.world_size, id, options.rank, &config);
    communicator->settle(code, options.connect_timeout, never, "ncclCommInitRankConfig");
    std::vector<int> members(static_cast<std::size_t>(options.world_size));
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
        members[rank] = static_cast<int>(rank);
    }
    return std::make_unique<NcclGroup>(options, std::move(communicator), members, "nccl");
}

}  // namespace rankscope::engine
