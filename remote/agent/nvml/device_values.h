// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/nvml/line_writer.h>
#include <remote/agent/nvml/nvml_library.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace rankscope::nvml {

/// A GPU, and what it has been found not to answer.
struct Gpu {
    static constexpr std::size_t kGroups = 20;
    static constexpr std::size_t kMostFields = 8 + kMostLinks * 7;

    unsigned index = 0;
    Device device = nullptr;
    std::array<unsigned char, kGroups>
        skip{};  ///< rounds until a value that is not supported is asked for again
    std::array<FieldValue, kMostFields> fields{};
    std::size_t field_count = 0;
    unsigned fields_due = 0;  ///< rounds until the list of fields is made again
    bool lost = false;
};

/// "value GPU KEY NUMBER" for what changes, in NVML's own units, and "process GPU PID BYTES"; a value that is missing, not
/// supported or not permitted has no line. "lost GPU" where the driver says so. `slow`: also what takes 40 ms.
void write_values(const Library& library, Gpu& gpu, bool slow, LineWriter& out);

/// "value …" and "text GPU KEY TEXT" for what stays.
void write_facts(const Library& library, Gpu& gpu, LineWriter& out);

}  // namespace rankscope::nvml
