// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/checkpoint_writer.h>
#include <engine/error.h>

#include <chrono>
#include <exception>
#include <utility>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

}  // namespace

CheckpointWriter::CheckpointWriter(CheckpointStore store, CheckpointWriterOptions options)
    : store_(std::move(store)), options_(options), thread_([this] { run(); }) {}

CheckpointWriter::~CheckpointWriter() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void CheckpointWriter::save(const Fill& fill, Write write) {
    const auto begin = Clock::now();
    SaveReport report;
    {
        std::unique_lock lock(mutex_);
        wait_until_idle(lock);
    }
    report.waited_ms = ms_since(begin);
    // The thread has nothing to do: the buffer is the caller's.
    fill(buffer_);
    report.step = buffer_.position.step;
    report.held_ms = ms_since(begin);
    {
        const std::lock_guard lock(mutex_);
        write_ = std::move(write);
        pending_ = std::move(report);
    }
    changed_.notify_all();
}

std::vector<SaveReport> CheckpointWriter::reports() {
    const std::lock_guard lock(mutex_);
    return std::exchange(finished_, {});
}

void CheckpointWriter::finish() {
    std::unique_lock lock(mutex_);
    wait_until_idle(lock);
}

void CheckpointWriter::wait_until_idle(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [this] { return !pending_; });
    if (options_.required && !last_error_.empty()) {
        throw Error("a checkpoint could not be written, and checkpoints are required: " + last_error_);
    }
}

void CheckpointWriter::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return closing_ || pending_; });
        if (!pending_) {
            return;
        }
        lock.unlock();
        const auto begin = Clock::now();
        WrittenCheckpoint written;
        std::string error;
        try {
            written = write_ ? write_(buffer_) : store_.write(buffer_);
        } catch (const std::exception& fault) {
            error = fault.what();
        }
        lock.lock();
        SaveReport report = std::move(*pending_);
        report.write_ms = ms_since(begin);
        report.repeated = !error.empty() && !last_error_.empty();
        report.where = written.folder.string();
        report.bytes = written.bytes;
        report.abandoned = std::move(written.abandoned);
        report.error = error;
        last_error_ = std::move(error);
        finished_.push_back(std::move(report));
        pending_.reset();
        changed_.notify_all();
    }
}

}  // namespace rankscope::engine
