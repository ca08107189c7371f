// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// CIFAR's records, its pickled batches, and members of a tar archive.

#include "memory_file.h"
#include "target.h"

#include <engine/data/cifar_records.h>
#include <engine/data/tar_reader.h>
#include <engine/error.h>

#include <algorithm>
#include <span>

namespace {

using namespace rankscope;

void check(const engine::CifarSamples& samples, const engine::CifarFormat& format) {
    fuzz::require(samples.pixels.size() == samples.labels.size() * engine::kCifarPixels, "whole images");
    fuzz::require(
        std::ranges::all_of(samples.labels,
                            [&](std::int32_t label) { return label >= 0 && label < format.classes; }),
        "labels within the classes");
}

void read(std::span<const std::uint8_t> bytes) {
    for (const engine::CifarFormat& format :
         {engine::CifarFormat{1, 0, 10}, engine::CifarFormat{2, 1, 100}}) {
        engine::CifarSamples samples;
        try {
            engine::append_cifar_records("f", bytes, format, 1000, samples);
        } catch (const engine::Error&) {
            samples = {};
        }
        try {
            engine::append_cifar_pickle("f", bytes, "labels", format, 1000, samples);
        } catch (const engine::Error&) {
            samples = {};
        }
        check(samples, format);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    read({data, size});
    const fuzz::MemoryFile file(data, size);
    try {
        engine::ByteSource source(file.name());
        engine::TarReader tar(source);
        while (const auto member = tar.next()) {
            std::vector<std::uint8_t> content;
            tar.append(content, std::min<std::uint64_t>(member->size, 1U << 20U));
            read(content);
        }
    } catch (const engine::Error& error) {
        fuzz::require(std::string(error.what()).starts_with(file.name()), "the fault names the file");
    }
    return 0;
}
