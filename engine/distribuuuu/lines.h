// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>

/// The messages that Distribuuuu logs, character for character (remote/observe/metric_lines/distribuuuu.cpp reads
/// them). Without the time prefix.
namespace rankscope::engine::distribuuuu {

/// A value and its mean so far.
struct Meter {
    double now = 0;
    double sum = 0;
    double count = 0;

    void update(double value, double weight) {
        now = value;
        sum += value * weight;
        count += weight;
    }
    double mean() const { return count > 0 ? sum / count : 0; }
};

/// Accuracies in percent, times in seconds.
struct Meters {
    Meter time, data, loss, top1, topk;
};

struct Progress {
    std::int64_t done = 0;  ///< batches of this epoch, from 1
    std::int64_t total = 0;
    std::int64_t topk = 5;
};

std::string rank_line(int local_rank, int rank);
std::string training_banner();
std::string parameters_line(std::int64_t trainable);
std::string epoch_line(std::int64_t epoch, double lr, const std::string& policy);  ///< epoch from 1
/// `eta_s` 0: nothing is said about it, as at the very end of a run.
std::string train_line(std::int64_t epoch, double eta_s, const Progress& progress, const Meters& meters);
std::string validation_line(const Progress& progress, const Meters& meters);
/// Percent; `saved` is the checkpoint's name.
std::string accuracy_line(double top1, double best, std::int64_t k, double topk, const std::string& saved);
std::string test_accuracy_line(double top1, std::int64_t k, double topk);
std::string loaded_line(const std::string& file);
std::string no_optimizer_line(const std::string& file);

struct EtaInput {
    double elapsed_s = 0;          ///< since the first step of this start
    std::int64_t start_epoch = 0;  ///< where it began, from 0
    std::int64_t epoch = 0;        ///< the current one, from 0
    std::int64_t done = 0;         ///< batches of it
    std::int64_t total = 0;        ///< batches per epoch
    std::int64_t epochs = 0;
};
/// Elapsed time ÷ share that was done since the start × share that is left.
double eta_seconds(const EtaInput& input);

}  // namespace rankscope::engine::distribuuuu
