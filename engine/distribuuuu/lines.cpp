// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/distribuuuu/lines.h>

#include <array>
#include <cstdio>

namespace rankscope::engine::distribuuuu {
namespace {

template <typename... Values>
std::string formatted(const char* format, Values... values) {
    std::array<char, 256> buffer{};
    const int size = std::snprintf(buffer.data(), buffer.size(), format, values...);
    return {buffer.data(), static_cast<std::size_t>(size) < buffer.size() ? static_cast<std::size_t>(size)
                                                                          : buffer.size() - 1};
}

std::string meter_text(const std::string& name, const char* format, const Meter& meter) {
    return name + " " + formatted(format, meter.now) + " (" + formatted(format, meter.mean()) + ")";
}

std::string counter(const Progress& progress) {
    const std::string total = std::to_string(progress.total);
    std::string done = std::to_string(progress.done);
    done.insert(0, done.size() < total.size() ? total.size() - done.size() : 0, ' ');
    return "[" + done + "/" + total + "]";
}

std::string meters_text(const Progress& progress, const Meters& meters) {
    return counter(progress) + " | " + meter_text("Time", "%6.3f", meters.time) + " | " +
           meter_text("Data", "%5.3f", meters.data) + " | " + meter_text("Loss", "%6.4f", meters.loss) +
           " | " + meter_text("Acc@1", "%6.3f", meters.top1) + " | " +
           meter_text("Acc@" + std::to_string(progress.topk), "%6.3f", meters.topk);
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
    return formatted("Params(M): %.3f, Model Size(MB): %.3f", count / 1e6, count * 4.0 / 1024 / 1024);
}

std::string epoch_line(std::int64_t epoch, double lr, const std::string& policy) {
    return formatted("CURRENT EPOCH: %3lld,   LR: %.4f,   POLICY: ", static_cast<long long>(epoch), lr) +
           policy;
}

std::string train_line(std::int64_t epoch, double eta_s, const Progress& progress, const Meters& meters) {
    const std::string eta = eta_s != 0 ? formatted("ETA: %.2fh ", eta_s / 3600) : "";
    return eta + "TRAIN:  [" + std::to_string(epoch) + "]" + meters_text(progress, meters);
}

std::string validation_line(const Progress& progress, const Meters& meters) {
    return "VAL:  " + meters_text(progress, meters);
}

std::string accuracy_line(double top1, double best, std::int64_t k, double topk, const std::string& saved) {
    return formatted("ACCURACY: TOP1 %.3f(BEST %.3f) | TOP%lld %.3f | SAVED ", top1, best,
                     static_cast<long long>(k), topk) +
           saved;
}

std::string test_accuracy_line(double top1, std::int64_t k, double topk) {
    return formatted("ACCURACY: TOP1 %.3f  |  TOP%lld %.3f", top1, static_cast<long long>(k), topk);
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
