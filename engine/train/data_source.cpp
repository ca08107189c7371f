// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/train/data_source.h>

namespace rankscope::engine {

DataSource::DataSource(const config::DatasetConfig& config, bool with_test_set, MetricsSink& metrics)
    : config_(config), with_test_set_(with_test_set), metrics_(metrics) {
    begin();
}

void DataSource::begin() {
    train_promise_ = {};
    test_promise_ = {};
    train_ = train_promise_.get_future().share();
    test_ = test_promise_.get_future().share();
    thread_ = std::jthread([this] {
        train_promise_.set_value(load(config_, Split::train, metrics_));
        test_promise_.set_value(with_test_set_ ? load(config_, Split::test, metrics_) : Loaded{});
    });
}

std::string DataSource::problem() {
    const std::string& train = train_.get().error;
    return train.empty() ? test_.get().error : train;
}

void DataSource::take_other() {
    thread_.join();
    config_.name = config_.otherwise;
    config_.otherwise.clear();
    begin();
}

DataSource::Loaded DataSource::load(const config::DatasetConfig& config, Split split, MetricsSink& metrics) {
    try {
        return {load_dataset(config, split,
                             [&metrics](const std::string& detail, std::uint64_t done, std::uint64_t total) {
                                 metrics.stage(StageName::Data, detail, static_cast<double>(done),
                                               static_cast<double>(total));
                             }),
                ""};
    } catch (const std::exception& exception) {
        return {{}, exception.what()};
    }
}

const ImageSet& DataSource::checked(const Loaded& loaded) {
    if (!loaded.error.empty()) {
        throw Error(loaded.error);
    }
    return loaded.set;
}

const ImageSet& DataSource::train() {
    return checked(train_.get());
}
const ImageSet& DataSource::test() {
    return checked(test_.get());
}

}  // namespace rankscope::engine
