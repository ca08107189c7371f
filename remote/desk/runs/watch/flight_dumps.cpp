// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/flight_dumps.h>

#include <zstd.h>

namespace rankscope::inline runs {

std::optional<std::string> unpacked_dump(std::string_view packed) {
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMaxFlightDump) {
        return std::nullopt;
    }
    std::string plain(size, '\0');
    const auto got = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
    return ZSTD_isError(got) != 0U || got != plain.size() ? std::nullopt : std::optional(std::move(plain));
}

std::optional<FlightDump> flight_dump_of(const wire::FlightDumpReply& reply) {
    const auto plain = reply.outcome() == "dumped" ? unpacked_dump(reply.dump()) : std::nullopt;
    return plain ? read_flight_dump(*plain) : std::nullopt;
}

}  // namespace rankscope::inline runs
