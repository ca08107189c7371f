// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <engine/distribuuuu/lines.h>

#include <cstddef>

namespace rankscope::engine::distribuuuu {
namespace {

// So wide at least, with blanks before.
std::string padded(std::string text, std::size_t width) {
    return text.insert(0, text.size() < width ? width - text.size() : 0, ' ');
}

std::string meter_text(const std::string& name, std::size_t width, int decimals, const Meter& meter) {
    return name + " " + padded(fixed_text(meter.now, decimals), width) + " (" +
           padded(fixed_text(meter.mean(), decimals), width) + ")";
}

std::string counter(const Progress& progress) {
    const std::string total = std::to_string(progress.total);
    std::string done = std::to_string(progress.done);
    done.insert(0, done.size() < total.size() ? total.size() - done.size() : 0, ' ');
    return "[" + done + "/" + total + "]";
}

std::string meters_text(const Progress& progress, const Meters& meters) {
    return counter(progress) + " | " + meter_text("Time", 6, 3, meters.time) + " | " +
           meter_text("Data", 5, 3, meters.data) + " | " + meter_text("Loss", 6, 4, meters.loss) + " | " +
           meter_text("Acc@1", 6, 3, meters.top1) + " | " +
           meter_text("Acc@" + std::to_string(progress.topk), 6, 3, meters.topk);
}

}  // namespace

std::string rank_line(int local_rank, int rank) {
    return "LOCAL_RANK: " + std::to_string(local_rank) + ", RANK: " + std::to_string(rank);
}

std::string training_banner() {
    return "\n\n\n            =======  TRAINING  ======= \n\n";
}

std::string parameters_line(std::int64_t trainable) {
    const auto count = static_cast<double>(trainable);
    return "Params(M): " + fixed_text(count / 1e6, 3) +
           ", Model Size(MB): " + fixed_text(count * 4.0 / 1024 / 1024, 3);
}

std::string epoch_line(std::int64_t epoch, double lr, const std::string& policy) {
    return "CURRENT EPOCH: " + padded(std::to_string(epoch), 3) + ",   LR: " + fixed_text(lr, 4) +
           ",   POLICY: " + policy;
}

std::string train_line(std::int64_t epoch, double eta_s, const Progress& progress, const Meters& meters) {
    const std::string eta = eta_s != 0 ? "ETA: " + fixed_text(eta_s / 3600, 2) + "h " : "";
    return eta + "TRAIN:  [" + std::to_string(epoch) + "]" + meters_text(progress, meters);
}

std::string validation_line(const Progress& progress, const Meters& meters) {
    return "VAL:  " + meters_text(progress, meters);
}

std::string accuracy_line(double top1, double best, std::int64_t k, double topk, const std::string& saved) {
    return "ACCURACY: TOP1 " + fixed_text(top1, 3) + "(BEST " + fixed_text(best, 3) + ") | TOP" +
           std::to_string(k) + " " + fixed_text(topk, 3) + " | SAVED " + saved;
}

std::string test_accuracy_line(double top1, std::int64_t k, double topk) {
    return "ACCURACY: TOP1 " + fixed_text(top1, 3) + "  |  TOP" + std::to_string(k) + " " +
           fixed_text(topk, 3);
}

std::string loaded_line(const std::string& file) {
    return "LOADED '" + file + "'";
}

std::string no_optimizer_line(const std::string& file) {
    return "CAN'T FOUND OPTIMIZER in " + file;
}

double eta_seconds(const EtaInput& input) {
    const double in_epoch = static_cast<double>(input.done) / static_cast<double>(input.total);
    const auto epochs = static_cast<double>(input.epochs);
    const double done = (static_cast<double>(input.epoch - input.start_epoch) + in_epoch) / epochs;
    const double left = 1 - (static_cast<double>(input.epoch) + in_epoch) / epochs;
    return done > 0 ? input.elapsed_s / done * left : 0;
}

}  // namespace rankscope::engine::distribuuuu
