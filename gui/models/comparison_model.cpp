// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/models/comparison_model.h>
#include <gui/models/run_column_texts.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/archive/compare/comparison_text.h>
#include <remote/desk/archive/compare/run_comparison.h>

#include <QCoreApplication>
#include <QFont>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ComparisonModel)
};

QString section_text(ComparedValue::Section section) {
    switch (section) {
        case ComparedValue::Section::Job:
            return Words::tr("Job");
        case ComparedValue::Section::Environment:
            return Words::tr("Environment");
        case ComparedValue::Section::Versions:
            return Words::tr("Versions");
        case ComparedValue::Section::Run:
            break;
    }
    return Words::tr("Run");
}

}  // namespace

void ComparisonModel::set_rows(const QStringList& titles, std::vector<Row> rows) {
    beginResetModel();
    titles_ = titles;
    rows_ = std::move(rows);
    endResetModel();
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FIRST_RUN + int(titles_.size());
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= int(rows_.size())) {
        return {};
    }
    const Row& row = rows_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole: {
            const QString value = row.values.value(index.column() - FIRST_RUN);
            const QString text = index.column() == Section ? row.section
                                 : index.column() == Key   ? row.key
                                 : value.isEmpty()         ? u"–"_s
                                                           : value;
            return role == Qt::ToolTipRole ? plain_text(text) : text;
        }
        case Qt::FontRole:
            if (row.differs && index.column() == Key) {
                QFont bold;
                bold.setBold(true);
                return bold;
            }
            return {};
        default:
            return {};
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
        return {};
    }
    const QString title = section < FIRST_RUN ? QString() : titles_.value(section - FIRST_RUN);
    return role == Qt::ToolTipRole ? plain_text(title) : title;
}

QStringList run_titles(const std::vector<ComparedRun>& runs) {
    constexpr std::size_t kTail = 13;  // time and random part of an id
    QStringList titles;
    for (const ComparedRun& run : runs) {
        const auto same = std::count_if(runs.begin(), runs.end(), [&](const ComparedRun& other) {
            return other.record.name == run.record.name;
        });
        const std::string& id = run.record.run_id;
        const std::string tail = id.size() > kTail ? id.substr(id.size() - kTail) : id;
        titles += same > 1 ? Words::tr("%1 · %2").arg(qs(run.record.name), qs(tail)) : qs(run.record.name);
    }
    return titles;
}

std::vector<ComparisonModel::Row> value_rows(const RunComparison& comparison, bool all) {
    std::vector<ComparisonModel::Row> rows;
    for (const ComparedValue& value : comparison.values) {
        if (!all && !value.differs) {
            continue;
        }
        ComparisonModel::Row row{section_text(value.section), qs(value.key), {}, value.differs};
        for (const auto& of_run : value.values) {
            row.values += qs(of_run);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<ComparisonModel::Row> statistic_rows(const RunComparison& comparison) {
    std::vector<ComparisonModel::Row> rows;
    const auto add_groups = [&](const std::string& name) {
        const auto metric = std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                                         [&](const ComparedMetric& one) { return one.name == name; });
        for (const auto& group :
             metric == comparison.metrics.end() ? std::vector<ComparedMetric::Group>() : metric->groups) {
            if (group.last.count > 0) {
                ComparisonModel::Row row{run_metric_title(name), {}, {}, false};
                row.key = Words::tr("%1: mean of last, %2 runs").arg(qs(group.name)).arg(group.last.count);
                const QString spread = Words::tr("%1 ± %2").arg(
                    metric_value_text(name, group.last.mean), metric_value_text(name, group.last.deviation));
                const QString mean = group.last.count > 1 ? spread : metric_value_text(name, group.last.mean);
                for (const ComparedRun& run : comparison.runs) {
                    row.values += run.group() == group.name ? mean : QString();
                }
                rows.push_back(std::move(row));
            }
        }
    };
    std::string before;
    for (const StatRow& stat : stat_rows(comparison)) {
        if (!before.empty() && stat.metric != before) {
            add_groups(before);
        }
        before = stat.metric;
        ComparisonModel::Row row{run_metric_title(stat.metric), qs(stat.stat), {}, false};
        const bool of_metric = stat.kind == StatRow::Kind::Value;
        for (const double value : stat.values) {
            row.values += !std::isfinite(value)                 ? QString()
                          : of_metric                           ? metric_value_text(stat.metric, value)
                          : stat.kind == StatRow::Kind::Seconds ? duration_text(value)
                                                                : count_text(std::int64_t(value));
        }
        rows.push_back(std::move(row));
    }
    if (!before.empty()) {
        add_groups(before);
    }
    return rows;
}

}  // namespace rankscope::gui
