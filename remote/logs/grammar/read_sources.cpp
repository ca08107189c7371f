// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/grammar/read_sources.h>

namespace rankscope::logs {

SourceList read_sources(const std::vector<std::string>& paths, const ReadOptions& options,
                        const LineSink& sink, const ProgressSink& progress, const std::stop_token& stop,
                        const WholeSink& whole) {
    LineParser parser;
    const RawSink raw{.begin = [&](std::uint32_t /*index*/,
                                   const Source& source) { parser.begin(source.name, source.modified_s); },
                      .line = [&](const RawLine& line) { sink(parser.parse(line)); },
                      .whole = whole};
    return read_raw_lines(paths, options, raw, progress, stop);
}

}  // namespace rankscope::logs
