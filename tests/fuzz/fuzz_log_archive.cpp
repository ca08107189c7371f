// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A file of logs, packed or not, as the reader finds it on the disk.

#include "memory_file.h"
#include "target.h"

#include <remote/logs/grammar/read_sources.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope::logs;
    const rankscope::fuzz::MemoryFile file(data, size);
    ReadOptions options;
    options.most_unpacked = std::uint64_t{4} << 20;
    options.longest_line = 4096;
    options.most_files = 50;
    std::uint64_t read = 0;
    const auto list =
        read_sources({file.name()}, options, [&](const LogLine& line) { read += line.text.size(); });
    rankscope::fuzz::require(list.sources.size() <= options.most_files, "the number of files is bounded");
    rankscope::fuzz::require(read <= options.most_unpacked * 4 + size * 4, "what is unpacked is bounded");
    return 0;
}
