// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A TensorBoard event file: written by any program. The first byte says how the bytes are cut. What has no
// good checksum goes to the reader of records as well: a program may write nonsense with good ones.

#include "target.h"

#include <remote/observe/tensorboard/crc32c.h>
#include <remote/observe/tensorboard/record_stream.h>
#include <remote/observe/tensorboard/scalars.h>
#include <remote/observe/tensorboard/tag_metrics.h>

#include <algorithm>

namespace {

using namespace rankscope;
using namespace rankscope::tensorboard;

std::string framed(std::string_view data) {
    const auto number = [](std::uint64_t value, int bytes) {
        std::string out;
        for (int i = 0; i < bytes; ++i) {
            out += static_cast<char>(value >> (8 * i) & 0xff);
        }
        return out;
    };
    const std::string length = number(data.size(), 8);
    return length + number(masked_crc32c(length), 4) + std::string(data) + number(masked_crc32c(data), 4);
}

void read(std::string_view record) {
    const auto scalars = read_scalars(record);
    if (!scalars) {
        return;
    }
    TagMetrics tags;
    std::size_t values = 0;
    for (const auto& line : tags.read({"run/validation", 1}, {*scalars, *scalars})) {
        fuzz::require(!line.values.empty(), "a metric has a value");
        fuzz::require(!line.step || *line.step >= 0, "steps count from 0");
        values += line.values.size();
    }
    fuzz::require(values <= 2 * scalars->values.size(), "nothing is made up");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto bytes = fuzz::as_text(data, size);
    const std::size_t piece = bytes.empty() ? 1 : static_cast<unsigned char>(bytes.front()) + std::size_t{1};
    bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 1));
    RecordStream whole;
    const auto records = whole.feed(bytes);
    RecordStream pieces;
    std::vector<std::string> again;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        for (auto& record : pieces.feed(bytes.substr(at, piece))) {
            again.push_back(std::move(record));
        }
    }
    fuzz::require(again == records, "it does not matter in which pieces the bytes come");
    fuzz::require(whole.damaged() == pieces.damaged() && whole.offset() == pieces.offset(),
                  "nor for the rest");
    fuzz::require(whole.offset() <= bytes.size(), "no more is read than there is");
    for (const auto& record : records) {
        read(record);
    }
    read(bytes);
    RecordStream made;
    const auto one = made.feed(framed(bytes));
    fuzz::require(bytes.size() > RecordStream::kMaxRecord || (one.size() == 1 && one.front() == bytes),
                  "what is framed can be read");
    return 0;
}
