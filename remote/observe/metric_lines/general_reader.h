// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/field_meaning.h>
#include <remote/observe/metric_lines/line_fields.h>
#include <remote/observe/metric_lines/reading.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::metric_lines {

/// Reads lines of no known shape: a counter ("step 5", "epoch: 3", "[10/156]") and named numbers, however they
/// are punctuated. A statement of the program is believed when its counter has risen from one of its lines to
/// the next with the same names; then the first line counts as well. One reader for each rank.
class GeneralReader {
public:
    /// Nothing, one reading, or the one that waited and this one. `place`: the step that the run is at. `certain`: the line is
    /// a row of a table: believed at once.
    std::vector<Reading> read(const LineFields& fields, double place, bool certain = false);
    /// It waits for the next line of the statement that the last line was of.
    bool waits() const { return waits_; }
    /// Whether the line before has said that the next one is about validation: "Test Error:".
    void announce_validation(bool announced) { announced_ = announced; }
    /// A reader of a known shape has read this: its series have their source.
    void known(const Reading& reading);

private:
    /// A line's content, before it is believed.
    struct Line {
        std::string counters;         ///< their names; empty: none
        std::optional<double> epoch;  ///< as the line has it
        std::optional<double> step;
        std::pair<double, double> order{};  ///< epoch and count: must rise
        std::string names;                  ///< of the values
        std::string rank;                   ///< "0" of "[rank0]:"; empty: no word of it
        bool named = false;                 ///< a counter has a name
        bool telling = false;               ///< a value's name is one that training programs use
        bool once_an_epoch = false;
        bool validation = false;  ///< some word says so
        bool ends_part = false;   ///< its count is the number of parts
        bool of_part = false;     ///< it counts through an epoch, or through the validation
        Reading reading;
        std::vector<bool> of_training;  ///< by value: its name says "train"
    };
    /// The lines with the same counters and the same names.
    struct Statement {
        std::optional<Line> held{};
        bool believed = false;
        bool counts_lines = false;  ///< several an epoch, and nothing counts them
        std::map<std::string, std::string, std::less<>> renamed{};
        std::uint64_t used = 0;
    };

    std::optional<Line> understand(const LineFields& fields) const;
    bool take_context(const LineFields& fields);
    void apply_context(const LineFields& fields, Line& line) const;
    void take_counters(const LineFields& fields, Line& line, std::vector<bool>& used) const;
    static bool repeats_within_epoch(const Line& line, const Statement& statement);
    bool goes_on_from_another(const Line& line) const;
    bool is_believed(const Line& line, const Statement& statement) const;
    void believe(const std::string& key, Statement& statement, const Line& line);
    /// Takes the line's reading.
    void accept(const Statement& statement, Line& line, std::vector<Reading>& readings);
    void accept_held(const std::string& counters, const Statement& own, std::vector<Reading>& readings);
    void forget_oldest();

    struct Source {
        std::string key;
        bool once_an_epoch = false;
    };
    mutable KnownSeries series_;  ///< a cache
    std::map<std::string, Statement, std::less<>> statements_;
    std::map<std::string, Source, std::less<>> sources_;  ///< series → what reports it
    std::optional<double> epoch_;                         ///< of a line that has nothing else
    std::optional<double> epochs_;
    std::uint64_t contexts_ = 0;  ///< such lines
    struct Record {
        Field counter;            ///< "[batch=128/12000]:"
        std::uint64_t since = 0;  ///< lines
    };
    std::optional<Record> record_{};  ///< the lines below the counter's own line belong to it
    double last_epoch_ = -1;          ///< of the lines that are believed
    double last_step_ = -1;           ///< of the lines that are believed
    double latest_step_ = 0;          ///< of any line
    std::uint64_t advances_ = 0;      ///< lines with a counter
    std::uint64_t lines_ = 0;
    bool any_believed_ = false;
    bool waits_ = false;
    bool announced_ = false;
    bool recalls_ = false;          ///< below the line of an epoch that has passed: a summary
    bool counts_to_total_ = false;  ///< the parts of a validation
    std::string rank_;
};

}  // namespace rankscope::metric_lines
