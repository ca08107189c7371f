// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/line_store.h>
#include <gui/data/log_query.h>

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <optional>

namespace rankscope::gui {

/// The rows of a log view: chosen lines by time, all of them or those that match. Little work is done at once, more on
/// a thread of the pool; then what was there before stays until the first part of the answer comes.
class LogRows : public QObject {
    Q_OBJECT

public:
    explicit LogRows(QThreadPool* pool, QObject* parent = nullptr);

    void set_store(std::shared_ptr<const LineSource> store);
    void choose(const LineChoice& choice);
    const LineChoice& choice() const { return choice_; }
    /// An empty text: no search.
    void search(const SearchText& wanted);
    const SearchText& wanted() const { return wanted_; }
    void show_only_matches(bool on);
    bool shows_only_matches() const { return only_matches_ && pattern_ != nullptr; }
    /// Looks for new lines.
    void refresh();

    const LineSource& store() const { return *store_; }
    const std::shared_ptr<const LineSource>& shared_store() const { return store_; }
    /// Null: no search, or its pattern is wrong.
    const LinePattern* pattern() const { return pattern_.get(); }
    /// What is wrong with the pattern.
    const std::optional<LinePattern::Fault>& fault() const { return fault_; }

    std::uint32_t count() const;
    std::uint32_t line(std::uint32_t row) const;
    /// The row of a line, or of the next one that is shown; count() past the last.
    std::uint32_t row_of(std::uint32_t line) const;
    bool has(std::uint32_t line) const;
    /// Whether the same line of several ranks is there once.
    bool folded() const { return choice_.folded; }
    /// What is folded into what; nothing, where nothing is folded.
    const LineRings& rings() const { return answer_.rings; }
    /// The line that stands for this one.
    std::uint32_t shown_line(std::uint32_t line) const { return answer_.rings.first_of(line); }
    /// Whether a rank printed a line, or one that is folded into it.
    bool is_of(std::uint32_t line, int rank) const;
    /// The first row at or after a time, µs since 1970; count() past the last.
    std::uint32_t row_at(std::int64_t t_us) const;
    /// Which rows there are is not known yet.
    bool pending() const { return reset_ || (shows_only_matches() && searching()); }

    /// 0 to 1, while the first rows of another choice are not there yet; nothing: they are.
    std::optional<double> ordered() const { return reset_ ? std::optional(ordered_) : std::nullopt; }

    std::uint32_t matches() const { return answer_.matches.size(); }
    /// The row of a match.
    std::uint32_t match_row(std::uint32_t match) const;
    /// The first match at or after a row.
    std::uint32_t match_from(std::uint32_t row) const;
    bool searching() const;
    /// 0 to 1, of a search.
    double progress() const;
    /// All rows that are shown now, for a thread.
    LineList order() const { return answer_.order; }
    LineList matching() const { return answer_.matches; }

signals:
    /// Other rows than before: whose lines or which store has changed.
    void wasReset();
    /// Rows were added, or late lines among the last ones; matches were found; more lines are in their order.
    void changed();

private:
    void start_over();
    void run(const std::shared_ptr<const LinePattern>& pattern);
    void take(LogAnswer answer);

    std::shared_ptr<const LineSource> store_ = std::make_shared<LineStore>();
    std::shared_ptr<LogQuery> query_;
    LineChoice choice_;
    SearchText wanted_;
    std::shared_ptr<const LinePattern> pattern_;
    std::optional<LinePattern::Fault> fault_;
    bool only_matches_ = false;
    bool reset_ = false;  ///< the answer in hand is the first after a start
    bool again_ = false;  ///< more lines came while the job ran
    double ordered_ = 0;
    LogAnswer answer_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
