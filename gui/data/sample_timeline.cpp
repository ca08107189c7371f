// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/sample_timeline.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace rankscope::gui {

namespace {

constexpr float kMostBits = 16'777'215;  ///< a float holds 24 bits exactly; nvml.h defines nine
constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();

}  // namespace

SampleTimeline::Fold SampleTimeline::fold_of(const std::string& key) {
    static constexpr std::array<std::string_view, 9> kHighest{
        ".temp",      ".ecc",      ".ecc_corrected", ".nvlink_errors", ".pcie_replays",
        ".mem_total", ".pcie_gen", ".pcie_width",    "gpu.unavailable"};
    if (key.ends_with(".throttle")) {
        return Fold::Bits;
    }
    const bool highest = std::any_of(kHighest.begin(), kHighest.end(),
                                     [&key](std::string_view end) { return key.ends_with(end); });
    return highest ? Fold::Most : Fold::Mean;
}

float SampleTimeline::folded(Fold fold, float all, double weight, float one, double one_weight) {
    if (!std::isfinite(all) || !std::isfinite(one)) {
        return std::isfinite(all) ? all : one;
    }
    switch (fold) {
        case Fold::Most:
            return std::max(all, one);
        case Fold::Bits: {
            const auto bits = [](float value) { return std::uint32_t(std::clamp(value, 0.0F, kMostBits)); };
            return float(bits(all) | bits(one));
        }
        case Fold::Mean:
            break;
    }
    return float((double(all) * weight + double(one) * one_weight) / (weight + one_weight));
}

std::size_t SampleTimeline::most_pieces() const {
    const std::size_t of_piece = sizeof(Piece) + columns_.size() * sizeof(float);
    // Even: halve() joins pairs.
    return std::clamp(kMostBytes / of_piece, kFewestPieces, kMostPieces) & ~std::size_t(1);
}

void SampleTimeline::begin(std::int64_t since_us, std::int64_t t_us) {
    const auto full = [this] { return pieces_.empty() || pieces_.back().samples >= samples_per_piece_; };
    if (full() && pieces_.size() >= most_pieces()) {
        halve();
    }
    if (full()) {
        pieces_.push_back({since_us, t_us, 0});
        for (auto& [key, column] : columns_) {
            column.values.push_back(kAbsent);
            column.samples = 0;
        }
    }
    Piece& piece = pieces_.back();
    piece.begin_us = std::min(piece.begin_us, since_us);
    piece.end_us = std::max(piece.end_us, t_us);
    ++piece.samples;
}

void SampleTimeline::put(const std::string& key, double value) {
    auto at = columns_.find(key);
    if (pieces_.empty() || !std::isfinite(value) || (at == columns_.end() && columns_.size() >= kMostKeys)) {
        return;
    }
    if (at == columns_.end()) {
        at =
            columns_.emplace(key, Column{fold_of(key), 0, std::vector<float>(pieces_.size(), kAbsent)}).first;
    }
    Column& column = at->second;
    column.values.back() = folded(column.fold, column.values.back(), column.samples, float(value), 1);
    ++column.samples;
}

void SampleTimeline::halve() {
    const std::size_t pairs = pieces_.size() / 2;
    const bool odd = pieces_.size() % 2 != 0;
    for (auto& [key, column] : columns_) {
        for (std::size_t i = 0; i < pairs; ++i) {
            column.values[i] = folded(column.fold, column.values[2 * i], pieces_[2 * i].samples,
                                      column.values[2 * i + 1], pieces_[2 * i + 1].samples);
        }
        if (odd) {
            column.values[pairs] = column.values.back();
        } else {
            column.samples = pieces_[2 * pairs - 1].samples + pieces_[2 * pairs - 2].samples;
        }
        column.values.resize(pairs + (odd ? 1 : 0));
    }
    for (std::size_t i = 0; i < pairs; ++i) {
        const Piece& one = pieces_[2 * i];
        const Piece& other = pieces_[2 * i + 1];
        pieces_[i] = {std::min(one.begin_us, other.begin_us), std::max(one.end_us, other.end_us),
                      one.samples + other.samples};
    }
    if (odd) {
        pieces_[pairs] = pieces_.back();
    }
    pieces_.resize(pairs + (odd ? 1 : 0));
    samples_per_piece_ *= 2;
}

NodeSamples SampleTimeline::over(const TimeSpan& span) const {
    NodeSamples found;
    for (const auto& [key, column] : columns_) {
        float all = kAbsent;
        float most = kAbsent;
        double weight = 0;
        std::int64_t last_us = 0;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const float value = column.values[i];
            if (!std::isfinite(value) || !pieces_[i].overlaps(span)) {
                continue;
            }
            all = folded(column.fold, all, weight, value, pieces_[i].samples);
            most = std::isfinite(most) ? std::max(most, value) : value;
            weight += pieces_[i].samples;
            last_us = std::max(last_us, pieces_[i].end_us);
        }
        if (weight > 0) {
            found.values[key] = {double(all), double(all) * weight, double(most), std::int64_t(weight),
                                 last_us};
            found.last_us = std::max(found.last_us, last_us);
        }
    }
    return found;
}

std::vector<float> SampleTimeline::course(const std::string& key, const TimeSpan& span,
                                          std::size_t points) const {
    const auto at = columns_.find(key);
    std::vector<float> values;
    if (at == columns_.end() || points == 0) {
        return values;
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (pieces_[i].overlaps(span)) {
            values.push_back(at->second.values[i]);
        }
    }
    if (values.size() > points) {
        for (std::size_t i = 0; i < points; ++i) {
            values[i] = values[i * values.size() / points];
        }
        values.resize(points);
    }
    return values;
}

}  // namespace rankscope::gui
