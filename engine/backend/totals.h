// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>

#include <cstdint>

namespace rankscope::engine {

/// Results of batches, added up: over batches, and over ranks. Doubles, so that they can be added in one
/// collective.
struct Totals {
    double loss = 0.0;     ///< sum over the samples
    double correct = 0.0;  ///< of a sample with a label per token: the share of right ones
    double correct_topk = 0.0;
    double samples = 0.0;

    /// `rows`: labels of a sample.
    void add(const BatchResult& result, std::int64_t batch, std::int64_t rows = 1) {
        if (result.elsewhere) {
            return;
        }
        loss += result.loss * static_cast<double>(batch);
        correct += static_cast<double>(result.correct) / static_cast<double>(rows);
        correct_topk += static_cast<double>(result.correct_topk) / static_cast<double>(rows);
        samples += static_cast<double>(batch);
    }
    void add(const Totals& other) {
        loss += other.loss;
        correct += other.correct;
        correct_topk += other.correct_topk;
        samples += other.samples;
    }
    double mean_loss() const { return samples > 0 ? loss / samples : 0.0; }
    double acc1() const { return samples > 0 ? correct / samples : 0.0; }
    double acck() const { return samples > 0 ? correct_topk / samples : 0.0; }
};

}  // namespace rankscope::engine
