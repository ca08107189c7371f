// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/ddp/reducer.h>

namespace rankscope::engine {

Reducer::Reducer(ProcessGroup& group, std::vector<Bucket> buckets, std::span<float> gradients)
    : group_(group), buckets_(std::move(buckets)), gradients_(gradients) {
    std::size_t parameters = 0;
    for (const Bucket& bucket : buckets_) {
        parameters += bucket.parameters.size();
    }
    bucket_of_.resize(parameters);
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        for (const ParameterId id : buckets_[i].parameters) {
            bucket_of_[id] = i;
        }
    }
    reset();
}

void Reducer::reset() {
    missing_.clear();
    for (const Bucket& bucket : buckets_) {
        missing_.push_back(bucket.parameters.size());
    }
    next_ = 0;
    works_.clear();
}

void Reducer::ready(ParameterId id) {
    --missing_[bucket_of_[id]];
    while (next_ < buckets_.size() && missing_[next_] == 0) {
        launch(next_++);
    }
}

void Reducer::launch(std::size_t bucket) {
    const std::span<float> range = gradients_.subspan(buckets_[bucket].offset, buckets_[bucket].size);
    const float scale = 1.0F / static_cast<float>(group_.size());
    for (float& value : range) {
        value *= scale;
    }
    works_.push_back(group_.all_reduce_sum(range));
}

void Reducer::wait() {
    for (Work& work : works_) {
        work.wait();
    }
}

}  // namespace rankscope::engine
