// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/batch_loader.h>
#include <engine/error.h>

#include <sched.h>

#include <algorithm>
#include <utility>

namespace rankscope::engine {
namespace {

/// Enough batches ahead that tiny ones do not cost a wake-up each, few enough that large ones do not fill
/// the memory.
std::int64_t batches_ahead(std::size_t batch_bytes) {
    constexpr std::size_t kBytes = std::size_t{8} << 20U;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(kBytes / std::max<std::size_t>(batch_bytes, 1)),
                                    2, 64);
}

std::size_t samples_per_chunk(std::int64_t batch_size, int workers) {
    // Several per thread and batch: pictures differ in what they cost.
    const std::int64_t pieces = workers == 1 ? 1 : 4LL * workers;
    return static_cast<std::size_t>(std::max<std::int64_t>((batch_size + pieces - 1) / pieces, 1));
}

int usable_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? std::max(CPU_COUNT(&cores), 1) : 1;
}

}  // namespace

int default_workers(const ImageSet& set, int local_world_size) {
    constexpr int kMost = 16;
    return set.images && set.images->slow()
               ? std::clamp(usable_cores() / std::max(local_world_size, 1), 1, kMost)
               : 1;
}

BatchLoader::BatchLoader(const ImageSet& set, Transform transform, const LoaderOptions& options)
    : set_(set),
      transform_(std::move(transform)),
      options_(options),
      sample_(static_cast<std::size_t>(transform_.channels()) *
              static_cast<std::size_t>(transform_.size().height) *
              static_cast<std::size_t>(transform_.size().width)),
      chunk_(samples_per_chunk(options.batch_size, options.workers)),
      ahead_(batches_ahead(static_cast<std::size_t>(options.batch_size) * sample_ *
                           (options.form == SampleForm::floats  ? sizeof(float)
                            : options.form == SampleForm::bytes ? 1
                                                                : 0))),
      slots_(static_cast<std::size_t>(ahead_)) {
    for (int i = 0; i < options.workers; ++i) {
        threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
}

BatchLoader::~BatchLoader() {
    for (std::jthread& thread : threads_) {
        thread.request_stop();
    }
}

void BatchLoader::start(std::int64_t epoch, std::vector<std::int64_t> indices, std::int64_t first) {
    std::unique_lock lock(mutex_);
    batches_ = 0;  // nothing more of the old epoch is dealt out
    ready_.wait(lock, [this] { return busy_ == 0; });
    for (Slot& slot : slots_) {
        if (slot.batch.size() > 0) {
            free_.push_back(std::move(slot.batch));
        }
        slot = Slot{};
    }
    const auto samples = static_cast<std::int64_t>(indices.size());
    epoch_ = epoch;
    indices_ = std::move(indices);
    batches_ = (samples + (options_.drop_short ? 0 : options_.batch_size - 1)) / options_.batch_size;
    next_batch_ = std::min(first, batches_);
    next_sample_ = 0;
    taken_ = next_batch_;
    lock.unlock();
    work_.notify_all();
}

std::optional<Batch> BatchLoader::next(std::optional<Batch> used) {
    std::unique_lock lock(mutex_);
    if (used && used->labels.memory() == options_.memory) {
        free_.push_back(std::move(*used));
    }
    if (taken_ >= batches_) {
        return std::nullopt;
    }
    Slot& slot = slot_of(taken_);
    ready_.wait(lock, [&] { return next_batch_ > taken_ && slot.chunks_left == 0; });
    if (!slot.error.empty()) {
        throw Error(slot.error);
    }
    std::optional<Batch> batch(std::move(slot.batch));
    slot = Slot{};
    ++taken_;
    // Not for every batch: a thread that is woken for each costs more than a small batch itself.
    const bool wake = idle_ > 0 && next_batch_ - taken_ <= ahead_ / 2 && has_chunk();
    lock.unlock();
    if (wake) {
        work_.notify_all();
    }
    return batch;
}

std::span<const std::int64_t> BatchLoader::samples_of(std::int64_t batch) const {
    const auto begin = static_cast<std::size_t>(batch * options_.batch_size);
    const std::size_t count =
        std::min(static_cast<std::size_t>(options_.batch_size), indices_.size() - begin);
    return std::span(indices_).subspan(begin, count);
}

// With the lock held.
BatchLoader::Chunk BatchLoader::claim() {
    const std::span<const std::int64_t> samples = samples_of(next_batch_);
    Slot& slot = slot_of(next_batch_);
    if (next_sample_ == 0) {
        if (free_.empty()) {
            slot.batch = Batch{.pixels = HostBuffer<float>(options_.memory),
                               .bytes = HostBuffer<std::uint8_t>(options_.memory),
                               .windows = {},
                               .labels = HostBuffer<std::int32_t>(options_.memory),
                               .indices = {}};
        } else {
            slot.batch = std::move(free_.back());
            free_.pop_back();
        }
        Batch& batch = slot.batch;
        const auto only_in = [&](SampleForm form, std::size_t size) {
            return options_.form == form ? size : 0;
        };
        batch.pixels.resize(only_in(SampleForm::floats, samples.size() * sample_));
        batch.bytes.resize(only_in(SampleForm::bytes, samples.size() * sample_));
        batch.windows.resize(only_in(SampleForm::windows, samples.size()));
        batch.rows = set_.tokens ? set_.tokens->length() : 1;
        batch.labels.resize(samples.size() * static_cast<std::size_t>(batch.rows));
        batch.indices.assign(samples.begin(), samples.end());
        batch.keys.resize(samples.size());
        std::transform(samples.begin(), samples.end(), batch.keys.begin(), [this](std::int64_t index) {
            return SampleRandom(options_.seed, epoch_, index).next();
        });
        batch.number = next_batch_;
        slot.chunks_left = static_cast<std::int64_t>((samples.size() + chunk_ - 1) / chunk_);
    }
    const Chunk chunk{&slot, next_sample_, std::min(next_sample_ + chunk_, samples.size()), epoch_};
    next_sample_ = chunk.end;
    if (next_sample_ == samples.size()) {
        ++next_batch_;
        next_sample_ = 0;
    }
    return chunk;
}

void BatchLoader::work(const std::stop_token& stop) {
    Worker worker;
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        const bool more = work_.wait(lock, stop, [this] { return has_chunk(); });
        --idle_;
        if (!more) {
            return;
        }
        const Chunk chunk = claim();
        ++busy_;
        lock.unlock();
        std::size_t failed_at = 0;
        std::string error = fill(chunk, worker, failed_at);
        lock.lock();
        --busy_;
        Slot& slot = *chunk.slot;
        if (!error.empty() && (slot.error.empty() || failed_at < slot.failed_at)) {
            slot.error = std::move(error);
            slot.failed_at = failed_at;
        }
        if (--slot.chunks_left == 0 || busy_ == 0) {
            ready_.notify_all();
        }
    }
}

std::string BatchLoader::fill(const Chunk& chunk, Worker& worker, std::size_t& at) const {
    // An exception must not leave its thread.
    try {
        if (set_.tokens) {
            for (at = chunk.begin; at < chunk.end; ++at) {
                fill_tokens(chunk, at);
            }
            return "";
        }
        if (!worker.reader) {
            worker.reader = set_.images->reader();
        }
        for (at = chunk.begin; at < chunk.end; ++at) {
            if (at + 1 < chunk.end) {
                worker.reader->prefetch(chunk.slot->batch.indices[at + 1]);
            }
            fill_sample(chunk, worker, at);
        }
    } catch (const std::exception& exception) {
        return exception.what();
    }
    return "";
}

void BatchLoader::fill_tokens(const Chunk& chunk, std::size_t row) const {
    Batch& batch = chunk.slot->batch;
    const auto length = static_cast<std::size_t>(batch.rows);
    set_.tokens->read(chunk.epoch, batch.indices[row], {batch.pixels.data() + row * length, length},
                      {batch.labels.data() + row * length, length});
}

void BatchLoader::fill_sample(const Chunk& chunk, Worker& worker, std::size_t row) const {
    Batch& batch = chunk.slot->batch;
    const std::int64_t index = batch.indices[row];
    const ImageSize stored = worker.reader->open(index);
    const Placement placement = transform_.place(stored, SampleRandom(options_.seed, chunk.epoch, index));
    batch.labels[row] = set_.labels[static_cast<std::size_t>(index)];
    if (options_.form == SampleForm::windows) {
        batch.windows[row] = {.image = static_cast<std::int32_t>(index),
                              .top = static_cast<std::int16_t>(placement.box.top + placement.top),
                              .left = static_cast<std::int16_t>(placement.box.left + placement.left),
                              .flip = placement.flip ? 1 : 0};
        return;
    }
    const ImageView view = worker.reader->read(source_part(placement, transform_.size()));
    if (options_.form == SampleForm::bytes) {
        render(view, placement, transform_.size(), worker.scratch, batch.bytes.data() + row * sample_);
        return;
    }
    worker.planes.resize(sample_);
    render(view, placement, transform_.size(), worker.scratch, worker.planes.data());
    transform_.table().convert(worker.planes.data(),
                               sample_ / static_cast<std::size_t>(transform_.channels()),
                               batch.pixels.data() + row * sample_);
}

}  // namespace rankscope::engine
