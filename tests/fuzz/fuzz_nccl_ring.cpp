// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The file that the NCCL plugin writes in a rank's process: the program there can write anything into it.

#include "target.h"

#include <base/nccl_ring/reader.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;

/// A real file: the reader follows no links, so it takes none of /proc.
struct InputFile {
    fs::path path = fs::temp_directory_path() / ("rankscope-fuzz-ring-" + std::to_string(getpid()));
    ~InputFile() {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    static const InputFile file;
    {
        std::ofstream out(file.path, std::ios::binary | std::ios::trunc);
        out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    }
    auto reader = nccl_ring::Reader::open(file.path);
    if (!reader) {
        return 0;
    }
    const nccl_ring::Header header = reader->header();
    fuzz::require(size >= nccl_ring::kHeaderBytes, "a header is a page");
    for (int i = 0; i < 4; ++i) {
        const auto batch = reader->read(7);
        fuzz::require(batch.records.size() <= 7, "the limit holds");
        for (const auto& record : batch.records) {
            fuzz::require(record.kind != nccl_ring::RecordKind::none, "what is no record is left out");
        }
    }
    fuzz::require(reader->open_operations().size() <= header.operation_capacity,
                  "no more than there are places");
    fuzz::require(reader->open_network().size() <= header.network_capacity, "no more than there are places");
    for (const auto& communicator : reader->communicators()) {
        fuzz::require(nccl_ring::name_of(communicator).size() <= communicator.name.size(), "a name ends");
    }
    // Cut short while it is open.
    std::error_code ignored;
    fs::resize_file(file.path, size / 2, ignored);
    reader->read();
    reader->open_operations();
    return 0;
}
