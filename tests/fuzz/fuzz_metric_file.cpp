// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A file that a training program may write its numbers to. The first byte says which kind, the second how the bytes are cut.

#include "target.h"

#include <remote/observe/metric_files/file_format.h>
#include <remote/observe/tensorboard/tag_metrics.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace {

using namespace rankscope;
using namespace rankscope::metric_files;

std::size_t count(const std::vector<Scalars>& all) {
    std::size_t values = 0;
    for (const auto& one : all) {
        fuzz::require(one.step >= 0 || !one.of_epoch, "an epoch is no negative step");
        values += one.values.size();
    }
    return values;
}

// A database is read by its path.
void read_database(std::string_view bytes) {
    const std::string path = "fuzz_metric_file_" + std::to_string(::getpid()) + ".db";
    std::ofstream(path, std::ios::binary) << bytes;
    DatabaseLog log;
    std::vector<Scalars> all;
    const ReadState state = log.read(path, 0, all);
    const std::size_t values = count(all);
    if (state == ReadState::Good && !log.has_more()) {
        log.read(path, 0, all);
        fuzz::require(count(all) == values, "what has not changed brings nothing new");
    }
    ::unlink(path.c_str());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array<const char*, 5> kPaths{"run-a.wandb", "metrics.csv", "log.jsonl",
                                                "mlruns/0/0123456789abcdef0123456789abcdef/metrics/loss",
                                                "events.out.tfevents.1.host"};
    if (size < 2) {
        return 0;
    }
    if (data[0] == 'S') {
        read_database(fuzz::as_text(data, size));  // "SQLite format 3"
        return 0;
    }
    const std::string path = kPaths[data[0] % kPaths.size()];
    const std::size_t piece = data[1] + std::size_t{1};
    const auto bytes = fuzz::as_text(data + 2, size - 2);
    auto whole = *MetricFile::of(path);
    std::vector<Scalars> all;
    const ReadState state = whole.feed(bytes, all);
    auto pieces = *MetricFile::of(path);
    std::vector<Scalars> again;
    ReadState last = ReadState::Good;
    for (std::size_t at = 0; at < bytes.size() && last == ReadState::Good; at += piece) {
        last = pieces.feed(bytes.substr(at, piece), again);
    }
    fuzz::require(last == state, "it does not matter in which pieces the bytes come");
    fuzz::require(count(all) == count(again), "nor for what is read");
    fuzz::require(whole.offset() <= bytes.size(), "no more is read than there is");
    whole.begin_again();
    const std::size_t before = all.size();
    whole.feed(bytes, all);
    fuzz::require(!whole.may_be_rewritten() || all.size() == before || state != ReadState::Good,
                  "the same file brings nothing new");
    tensorboard::TagMetrics tags;
    for (const auto& line : tags.read({"", 1, "file"}, all)) {
        fuzz::require(!line.values.empty(), "a metric has a value");
        fuzz::require(!line.step || *line.step >= 0, "steps count from 0");
    }
    return 0;
}
