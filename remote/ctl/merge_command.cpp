// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/clock_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/remark_text.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/read/sources.h>
#include <remote/logs/story/merge_times.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "MergeCommand";
constexpr std::size_t kMostBytes = std::size_t{4} << 30U;  ///< of text: it is in memory until it is sorted

/// The lines of files, whole, in the order in which they were read.
struct Lines {
    struct File {
        logs::Source source;
        std::size_t first = 0;  ///< line
    };

    void take(const logs::RawLine& raw) {
        begins.push_back(text.size());
        numbers.push_back(raw.place.line);
        text += raw.text;
    }
    std::size_t count() const { return begins.size(); }
    std::string_view line(std::size_t at) const {
        const std::size_t end = at + 1 < count() ? begins[at + 1] : text.size();
        return std::string_view(text).substr(begins[at], end - begins[at]);
    }
    std::size_t end_of(std::size_t file) const {
        return file + 1 < files.size() ? files[file + 1].first : count();
    }

    std::vector<File> files;
    std::string text;
    std::vector<std::size_t> begins;
    std::vector<std::uint64_t> numbers;  ///< in their files
};

std::vector<std::int64_t> times_of(const Lines& lines, const logs::HostClocks& clocks) {
    std::vector<std::int64_t> times;
    logs::MergeTimes reader(clocks);
    for (std::size_t file = 0; file < lines.files.size(); ++file) {
        reader.begin(lines.files[file].source.name, lines.files[file].source.modified_s);
        for (std::size_t at = lines.files[file].first; at < lines.end_of(file); ++at) {
            reader.add({{static_cast<std::uint32_t>(file), lines.numbers[at]}, lines.line(at)});
        }
        const auto of_file = reader.take();
        times.insert(times.end(), of_file.begin(), of_file.end());
    }
    return times;
}

/// "2026-01-02 03:04:05.678", as the lines have it.
std::string time_text(std::int64_t t_us) {
    const std::time_t seconds = t_us / 1'000'000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char clock[32];
    std::strftime(clock, sizeof clock, "%Y-%m-%d %H:%M:%S", &parts);
    char text[48];
    std::snprintf(text, sizeof text, "%s.%03d", clock, static_cast<int>(t_us / 1000 % 1000));
    return text;
}

class Printer {
public:
    explicit Printer(bool json) : json_(json), columns_(terminal_columns(STDOUT_FILENO)) {}

    void print(std::int64_t t_us, const std::string& file, std::uint64_t number,
               std::string_view text) const {
        if (json_) {
            const nlohmann::ordered_json line{
                {"time", t_us == 0 ? nlohmann::ordered_json(nullptr)
                                   : nlohmann::ordered_json(static_cast<double>(t_us) / 1e6)},
                {"file", file},
                {"line", number},
                {"text", text}};
            print_json(line);
            return;
        }
        const std::string prefix = (t_us == 0 ? std::string() : time_text(t_us) + ' ') + safe_text(file) +
                                   ':' + std::to_string(number) + ": ";
        print_foreign_line(prefix, text, columns_);
    }

private:
    bool json_;
    std::size_t columns_;
};

void print_merged(const Lines& lines, const std::vector<std::int64_t>& times, const Printer& printer) {
    std::vector<std::size_t> begins;
    for (const auto& file : lines.files) {
        begins.push_back(file.first);
    }
    logs::merge_by_time(times, begins, [&](std::size_t file, std::size_t line) {
        printer.print(times[line], lines.files[file].source.name, lines.numbers[line], lines.line(line));
        return std::ferror(stdout) == 0;  // else it is closed, as by `| head`
    });
}

int merge(const GlobalOptions& options, const std::vector<std::string>& paths) {
    StopOnInterrupt interrupt;
    Lines lines;
    logs::LineParser parser;
    const std::vector<logs::Rule> no_rules;
    logs::Diagnosis diagnosis(no_rules);
    bool too_many = false;
    logs::RawSink sink;
    sink.begin = [&](std::uint32_t, const logs::Source& source) {
        lines.files.push_back({source, lines.count()});
        parser.begin(source.name, source.modified_s);
    };
    sink.line = [&](const logs::RawLine& raw) {
        too_many = too_many || lines.text.size() > kMostBytes;
        if (!too_many) {
            lines.take(raw);
            diagnosis.take(parser.parse(raw));
        }
    };
    const auto read = logs::read_raw_lines(paths, {}, sink, {}, interrupt.token());
    print_remarks(read);
    if (interrupt.token().stop_requested()) {
        return kStopped;
    }
    if (too_many || lines.count() == 0) {
        report(too_many ? Failure{"bad-file", "", text(kContext, "These files have more than 4 GiB of text."),
                                  text(kContext, "Name fewer of them, or open them in the window: Logs."), ""}
                        : Failure{"bad-file", "", text(kContext, "There is nothing to read."),
                                  text(kContext, "Name files, folders or archives."), ""},
               options.json);
        return kUsage;
    }
    std::vector<std::string> names;
    for (const auto& file : lines.files) {
        names.push_back(file.source.name);
    }
    const logs::HostClocks clocks = diagnosis.finish(names).clocks;
    print_clocks(clocks.all(), stderr);
    print_merged(lines, times_of(lines, clocks), Printer(options.json));
    return kDone;
}

}  // namespace

void add_merge_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand(
        "merge", "The lines of several logs by the times that they print. --json: a line each");
    auto paths = std::make_shared<std::vector<std::string>>();
    command->add_option("path", *paths, "Files, folders, archives")->required();
    command->callback([&options, &code, paths] { code = merge(options, *paths); });
}

}  // namespace rankscope::ctl
