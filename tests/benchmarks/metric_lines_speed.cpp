// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What reading metrics from lines costs, next to only taking the lines apart: lines without metrics, lines of one statement,
// and bars.
//
//   metric_lines_speed [FILE]     of a file's lines instead

#include <remote/observe/metric_lines/line_metrics.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

using rankscope::metric_lines::LineMetrics;

constexpr int kLines = 1'000'000;
constexpr std::size_t kPiece = 65536;

double seconds_of(const std::string& text, bool shapes, std::size_t& values) {
    const std::clock_t begun = std::clock();
    LineMetrics metrics({}, shapes);
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(std::min(kPiece, rest.size()))) {
        for (const auto& line : metrics.feed(false, rest.substr(0, kPiece))) {
            values += line.values.size();
        }
    }
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

void measure(const char* kind, const std::string& text) {
    double lines = 0;
    for (const char c : text) {
        lines += c == '\n' || c == '\r' ? 1 : 0;
    }
    std::size_t none = 0;
    std::size_t values = 0;
    const double apart = seconds_of(text, false, none);
    const double read = seconds_of(text, true, values);
    std::printf("%-10s %9.0f lines  taken apart %6.3f us a line  read %6.3f us a line  %zu values\n", kind,
                lines, apart * 1e6 / lines, read * 1e6 / lines, values);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) {
        std::ifstream file(argv[1], std::ios::binary);
        measure("file", std::string(std::istreambuf_iterator<char>(file), {}));
        return 0;
    }
    std::string plain;
    std::string statement;
    std::string bars;
    for (int i = 1; i <= kLines; ++i) {
        const std::string count = std::to_string(i);
        plain += "INFO worker " + count + " fetched shard 17 of bucket data-" + count + " in 35 ms\n";
        if (i % 4 == 0) {
            statement += "step " + count + " loss 0." + count + " lr 0.001 grad_norm 1.25\n";
            bars += "\rEpoch 0:  50%|#####     | " + count + "/1000000 [00:05<00:05, 85.2it/s, loss=0." +
                    count + "]";
        }
    }
    measure("plain", plain);
    measure("statement", statement);
    measure("bars", bars);
    return 0;
}
