// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/dataset.h>
#include <engine/train/metrics_sink.h>

#include <future>
#include <string>
#include <thread>

namespace rankscope::engine {

/// Loads training and test set on a thread of its own, so that the rendezvous does not wait for files (nor
/// the first step for the test set).
class DataSource {
public:
    DataSource(const config::DatasetConfig& config, bool with_test_set, MetricsSink& metrics);

    /// Waits for both sets. Empty: they are here; else why not.
    std::string problem();
    /// Forgets what was loaded and loads `dataset.otherwise` instead: for all ranks together, never for one
    /// alone.
    void take_other();
    const std::string& name() const { return config_.name; }

    /// Waits for the set; throws Error when it is unavailable.
    const ImageSet& train();
    const ImageSet& test();

private:
    /// An error travels as a value, not as an exception.
    struct Loaded {
        ImageSet set;
        std::string error;
    };
    void begin();
    static Loaded load(const config::DatasetConfig& config, Split split, MetricsSink& metrics);
    static const ImageSet& checked(const Loaded& loaded);

    config::DatasetConfig config_;
    bool with_test_set_;
    MetricsSink& metrics_;
    std::promise<Loaded> train_promise_;
    std::promise<Loaded> test_promise_;
    std::shared_future<Loaded> train_;
    std::shared_future<Loaded> test_;
    std::jthread thread_;  // last: it fulfils the promises
};

}  // namespace rankscope::engine
