// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/cifar_records.h>
#include <engine/data/label_check.h>
#include <engine/data/pickled_batch.h>
#include <engine/error.h>

#include <algorithm>

namespace rankscope::engine {
namespace {

std::size_t wanted(std::size_t count, std::size_t most, const CifarSamples& samples) {
    return std::min(count, most - std::min(most, samples.labels.size()));
}

}  // namespace

void append_cifar_records(const std::string& file, std::span<const std::uint8_t> records,
                          const CifarFormat& format, std::size_t most, CifarSamples& samples) {
    if (records.empty() || records.size() % format.record() != 0) {
        throw Error(file + ": " + std::to_string(records.size()) +
                    " bytes are not a whole number of records of " + std::to_string(format.record()) +
                    " bytes: the file is cut short or of another set");
    }
    const std::size_t count = wanted(records.size() / format.record(), most, samples);
    std::vector<std::uint8_t> labels(count);
    samples.pixels.reserve(samples.pixels.size() + count * kCifarPixels);
    for (std::size_t i = 0; i < count; ++i) {
        const auto record = records.subspan(i * format.record(), format.record());
        labels[i] = record[format.label_at];
        samples.pixels.insert(samples.pixels.end(),
                              record.begin() + static_cast<std::ptrdiff_t>(format.label_bytes), record.end());
    }
    const std::vector<std::int32_t> checked = checked_labels(file, labels, format.classes);
    samples.labels.insert(samples.labels.end(), checked.begin(), checked.end());
}

void append_cifar_pickle(const std::string& file, std::span<const std::uint8_t> pickle,
                         const std::string& label_key, const CifarFormat& format, std::size_t most,
                         CifarSamples& samples) {
    PickledBatch batch = read_pickled_batch(pickle, label_key, file);
    if (batch.row_bytes != kCifarPixels) {
        throw Error(file + ": images of " + std::to_string(batch.row_bytes) + " bytes; CIFAR's have " +
                    std::to_string(kCifarPixels));
    }
    batch.labels.resize(wanted(batch.labels.size(), most, samples));
    const std::vector<std::int32_t> checked = checked_labels(file, batch.labels, format.classes);
    const auto rows = batch.rows.first(checked.size() * kCifarPixels);
    samples.pixels.insert(samples.pixels.end(), rows.begin(), rows.end());
    samples.labels.insert(samples.labels.end(), checked.begin(), checked.end());
}

}  // namespace rankscope::engine
