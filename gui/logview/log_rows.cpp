// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logview/log_rows.h>
#include <gui/on_thread.h>
#include <remote/logs/fold/rank_set.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::uint32_t kAtOnceLines = 20000;  ///< taken within a frame
constexpr std::uint32_t kAtOnceFolded = 2000;  ///< to fold a line takes longer

}  // namespace

LogRows::LogRows(QThreadPool* pool, QObject* parent) : QObject(parent), job_(this, pool) {
    query_ = std::make_shared<LogQuery>(store_, choice_);
}

void LogRows::set_store(std::shared_ptr<const LineSource> store) {
    store_ = std::move(store);
    start_over();
}

void LogRows::choose(const LineChoice& choice) {
    if (choice != choice_) {
        choice_ = choice;
        start_over();
    }
}

void LogRows::start_over() {
    job_.cancel();
    again_ = false;
    query_ = std::make_shared<LogQuery>(store_, choice_);
    answer_ = {};
    ordered_ = 0;
    reset_ = true;
    refresh();
    if (reset_) {
        emit wasReset();  // the rows come later
    }
}

void LogRows::search(const SearchText& wanted) {
    if (wanted == wanted_) {
        return;
    }
    wanted_ = wanted;
    pattern_.reset();
    fault_.reset();
    if (!wanted.text.empty()) {
        auto pattern = std::make_shared<const LinePattern>(wanted);
        fault_ = pattern->fault();
        if (!fault_) {
            pattern_ = std::move(pattern);
        }
    }
    answer_.matches = {};
    answer_.searched = 0;
    job_.cancel();
    refresh();
    emit changed();
}

void LogRows::show_only_matches(bool on) {
    if (only_matches_ != on) {
        only_matches_ = on;
        emit changed();
    }
}

void LogRows::refresh() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (job_.running()) {
        again_ = true;
        return;
    }
    const auto waiting = query_->waiting();
    if (waiting && *waiting <= (choice_.folded ? kAtOnceFolded : kAtOnceLines)) {
        take(query_->advance(pattern_));
    } else {
        run(pattern_);
    }
}

void LogRows::run(const std::shared_ptr<const LinePattern>& pattern) {
    again_ = false;
    job_.start(
        [this, query = query_, pattern](const JobHandle& job) {
            const auto partial = [&](LogAnswer part) {
                auto shared = std::make_shared<LogAnswer>(std::move(part));
                job.post([this, shared] { take(std::move(*shared)); });
            };
            return query->advance(pattern, job.stop(), partial, [&](double ordered) {
                job.post([this, ordered] {
                    ordered_ = ordered;
                    if (reset_) {
                        emit changed();
                    }
                });
            });
        },
        [this](LogAnswer answer) {
            take(std::move(answer));
            if (again_) {
                again_ = false;
                refresh();
            }
        });
}

void LogRows::take(LogAnswer answer) {
    answer_ = std::move(answer);
    if (std::exchange(reset_, false)) {
        emit wasReset();
    } else {
        emit changed();
    }
}

std::uint32_t LogRows::count() const {
    return shows_only_matches() ? answer_.matches.size() : answer_.order.size();
}

std::uint32_t LogRows::line(std::uint32_t row) const {
    return answer_.order.at(shows_only_matches() ? answer_.matches.at(row) : row);
}

std::uint32_t LogRows::row_of(std::uint32_t line) const {
    const std::uint32_t place = place_of(*store_, answer_.order, line);
    return shows_only_matches() ? answer_.matches.lower_bound(place) : place;
}

bool LogRows::has(std::uint32_t line) const {
    const std::uint32_t row = row_of(line);
    return row < count() && this->line(row) == line;
}

bool LogRows::is_of(std::uint32_t line, int rank) const {
    const std::vector<std::uint32_t> lines = answer_.rings.lines_of(line, logs::RankSet::kMost);
    return std::any_of(lines.begin(), lines.end(),
                       [&](std::uint32_t each) { return store_->rank(each) == rank; });
}

std::uint32_t LogRows::row_at(std::int64_t t_us) const {
    const std::uint32_t place =
        answer_.order.partition_point([&](std::uint32_t other) { return store_->t_us(other) < t_us; });
    return shows_only_matches() ? answer_.matches.lower_bound(place) : place;
}

std::uint32_t LogRows::match_row(std::uint32_t match) const {
    return shows_only_matches() ? match : answer_.matches.at(match);
}

std::uint32_t LogRows::match_from(std::uint32_t row) const {
    return shows_only_matches() ? std::min(row, answer_.matches.size()) : answer_.matches.lower_bound(row);
}

bool LogRows::searching() const {
    return pattern_ != nullptr && answer_.searched < store_->size();
}

double LogRows::progress() const {
    return answer_.total == 0 ? 1 : double(answer_.searched) / double(answer_.total);
}

}  // namespace rankscope::gui
