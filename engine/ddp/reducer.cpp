// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/ddp/reducer.h>
#include <engine/error.h>

#include <sodium.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <sstream>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

std::string digest(const std::string& text) {
    std::array<unsigned char, crypto_generichash_BYTES> hash{};
    crypto_generichash(hash.data(), hash.size(),
                       static_cast<const unsigned char*>(static_cast<const void*>(text.data())), text.size(),
                       nullptr, 0);
    return {hash.begin(), hash.end()};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Rank 0's text on every rank; the ranks' texts may have different lengths.
std::string from_rank_0(ProcessGroup& group, const std::string& mine) {
    std::string size(sizeof(std::uint64_t), '\0');
    const std::uint64_t own = mine.size();
    std::memcpy(size.data(), &own, sizeof(own));
    std::vector<std::uint64_t> sizes;
    for (const std::string& text : group.all_gather(size)) {
        std::memcpy(&sizes.emplace_back(), text.data(), sizeof(own));
    }
    std::string padded = mine;
    padded.resize(*std::max_element(sizes.begin(), sizes.end()));
    return group.all_gather(padded).front().substr(0, sizes.front());
}

}  // namespace

Reducer::Reducer(ProcessGroup& group, const ParameterLayout& layout, std::span<float> gradients,
                 ReducerOptions options)
    : group_(group),
      layout_(layout),
      gradients_(gradients),
      options_(std::move(options)),
      limits_(options_.limits.value_or(default_bucket_limits(layout.total * sizeof(float)))) {
    compare_across_ranks();
    plan({});
    reset();
}

std::string Reducer::name_of_parameter(ParameterId id) const {
    return options_.names.contains(id) ? options_.names[id] : "parameter " + std::to_string(id.value());
}

/// One line per fact, so that the first difference can be named.
std::string Reducer::description() const {
    std::string text =
        "buckets of " + std::to_string(limits_.first) + " and " + std::to_string(limits_.others) +
        " bytes\n" + (options_.hook ? options_.hook->name() : "no compression") +
        (options_.shards != nullptr ? ", ZeRO " + std::to_string(static_cast<int>(options_.shards->stage()))
                                    : "") +
        "\nstorage \"" + layout_.fingerprint + "\"\n";
    for (const ParameterId id : storage_order(layout_)) {
        const ParameterSlot& slot = layout_.slots[id];
        text += name_of_parameter(id) + " of " + std::to_string(slot.size) + " elements at " +
                std::to_string(slot.offset);
        for (const FlatRange& range : slot.live) {
            text += ", live " + std::to_string(range.offset) + "+" + std::to_string(range.size);
        }
        text += '\n';
    }
    return text;
}

void Reducer::compare_across_ranks() {
    const std::string mine = description();
    const std::vector<std::string> digests = group_.all_gather(digest(mine));
    const auto other = std::find_if(digests.begin(), digests.end(),
                                    [&](const std::string& text) { return text != digests.front(); });
    if (other == digests.end()) {
        return;
    }
    // What differs is known to the rank itself only; it sends it to the others.
    const std::vector<std::string> theirs = lines_of(from_rank_0(group_, mine));
    const std::vector<std::string> own = lines_of(mine);
    constexpr std::size_t kLongest = 300;
    std::string difference;
    for (std::size_t i = 0; difference.empty() && i < std::max(own.size(), theirs.size()); ++i) {
        const std::string here = i < own.size() ? own[i] : "nothing more";
        const std::string there = i < theirs.size() ? theirs[i] : "nothing more";
        if (here != there) {
            difference = here.substr(0, kLongest / 2) + ", rank 0 has " + there.substr(0, kLongest / 2 - 20);
        }
    }
    difference.resize(kLongest, '\0');
    const auto stranger = static_cast<std::size_t>(other - digests.begin());
    const std::string reported = group_.all_gather(difference)[stranger].c_str();
    throw Error("rank " + std::to_string(stranger) + " has " + reported +
                ": all ranks must train the same model with the same settings");
}

void Reducer::plan(std::span<const ParameterId> order) {
    buckets_ =
        options_.shards != nullptr ? options_.shards->buckets() : plan_buckets(layout_, limits_, order);
    rebuilt_ = options_.shards != nullptr;
    pieces_.clear();
    bucket_of_.assign(layout_.slots.size(), 0);
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        for (const ParameterId id : buckets_[i].parameters) {
            bucket_of_[id] = i;
        }
        std::vector<Piece>& pieces = pieces_.emplace_back();
        for (const FlatRange& range : buckets_[i].live) {
            pieces.push_back({address(i, range.offset), range.size});
        }
    }
}

bool Reducer::windowed() const {
    return options_.shards != nullptr && options_.shards->windowed();
}

float* Reducer::address(std::size_t bucket, std::size_t flat) const {
    return gradients_.data() + (windowed() ? options_.shards->window_place(bucket, flat) : flat);
}

void Reducer::reset(Sync sync, bool accumulate) {
    sync_ = sync;
    accumulate_ = accumulate;
    missing_.clear();
    for (const Bucket& bucket : buckets_) {
        missing_.push_back(bucket.parameters.size());
    }
    arrived_.clear();
    is_ready_.assign(layout_.slots.size(), false);
    next_ = 0;
    finished_ = 0;
    works_.clear();
    statistics_ = {};
}

void Reducer::ready(ParameterId id) {
    if (is_ready_[id]) {
        throw Error(
            "the gradient of " + name_of_parameter(id) +
            " was reported twice in one backward pass: the parameter is used twice, which the reducer "
            "does not support");
    }
    is_ready_[id] = true;
    arrived_.push_back(id);
    --missing_[bucket_of_[id]];
    if (sync_ == Sync::no) {
        return;
    }
    while (next_ < buckets_.size() && missing_[next_] == 0) {
        launch(next_++);
    }
}

void Reducer::launch(std::size_t bucket) {
    const float scale = 1.0F / static_cast<float>(group_.size());
    const std::vector<Piece>& pieces = pieces_[bucket];
    // The last one is waited for at once: the thread that waits runs it.
    const When when = bucket + 1 == buckets_.size() ? When::at_wait : When::soon;
    const std::size_t count = buckets_[bucket].live_size();
    if (windowed()) {
        for (const FlatRange& gap : options_.shards->gaps(bucket)) {
            std::fill_n(address(bucket, gap.offset), gap.size, 0.0F);
        }
    }
    if (options_.shards != nullptr) {
        works_.push_back(group_.reduce_scatter({.pieces = pieces, .scale = scale},
                                               options_.shards->gradient_shares(bucket), when));
        statistics_.bytes += count * sizeof(float);
    } else if (options_.hook) {
        works_.push_back(options_.hook->start(group_, bucket, pieces, scale, when));
        statistics_.bytes += options_.hook->bytes(count);
    } else {
        works_.push_back(group_.all_reduce({.pieces = pieces, .scale = scale}, when));
        statistics_.bytes += count * sizeof(float);
    }
    ++statistics_.collectives;
    if (windowed() && bucket > 0) {
        finish_bucket(bucket - 1);
    }
}

void Reducer::finish_bucket(std::size_t bucket) {
    if (bucket < finished_) {
        return;
    }
    finished_ = bucket + 1;
    works_[bucket].wait();
    if (options_.hook) {
        options_.hook->finish(bucket, pieces_[bucket]);
    }
    if (!windowed()) {
        return;
    }
    for (const ShardPlan::Owned& owned : options_.shards->owned(bucket)) {
        for (const FlatRange& live : buckets_[bucket].live) {
            const std::size_t begin = std::max(live.offset, owned.flat.offset);
            const std::size_t end = std::min(live.offset + live.size, owned.flat.offset + owned.flat.size);
            if (begin >= end) {
                continue;
            }
            const std::span<const float> from(address(bucket, begin), end - begin);
            const auto to = options_.owned.subspan(owned.at + begin - owned.flat.offset, from.size());
            if (accumulate_) {
                std::transform(from.begin(), from.end(), to.begin(), to.begin(), std::plus<>());
            } else {
                std::copy(from.begin(), from.end(), to.begin());
            }
        }
    }
}

void Reducer::wait(const std::function<void(std::size_t)>& done) {
    if (sync_ == Sync::no) {
        return;
    }
    const auto begin = Clock::now();
    Clock::duration updating{0};
    check_complete();
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        finish_bucket(bucket);
        if (done) {
            const auto called = Clock::now();
            done(bucket);
            updating += Clock::now() - called;
        }
    }
    if (!rebuilt_) {
        rebuild();
    }
    statistics_.exposed_ms =
        std::chrono::duration<double, std::milli>(Clock::now() - begin - updating).count();
}

/// In a static graph every parameter takes part in every step: one that does not is a fault of the backend.
void Reducer::check_complete() const {
    std::string names;
    for (const ParameterId id : is_ready_.indices()) {
        if (!is_ready_[id]) {
            names += (names.empty() ? "" : ", ") + name_of_parameter(id);
        }
    }
    if (!names.empty()) {
        throw Error(
            "no gradient came for " + names +
            ": it takes no part in the loss of this step, and the other ranks wait for it. Remove it from "
            "the model.");
    }
}

/// Once, after the first synchronised step.
void Reducer::rebuild() {
    rebuilt_ = true;
    std::string bytes(arrived_.size() * sizeof(ParameterId), '\0');
    std::memcpy(bytes.data(), arrived_.data(), bytes.size());
    const std::string first = group_.all_gather(bytes).front();
    std::vector<ParameterId> order(arrived_.size());
    std::memcpy(order.data(), first.data(), first.size());
    if (order != storage_order(layout_)) {
        plan(order);
    }
}

}  // namespace rankscope::engine
