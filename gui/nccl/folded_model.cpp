// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/column_titles.h>
#include <gui/nccl/folded_model.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>

#include <QFont>

namespace rankscope::gui {

namespace {

constexpr quintptr kTop = 0;  ///< internal id of a line; below line n it is n + 1

bool is_warning(const logs::FoldedRow& row) {
    return row.level == logs::LineLevel::Warn || row.level == logs::LineLevel::Error;
}

}  // namespace

void FoldedModel::set_rows(std::shared_ptr<const logs::FoldedRows> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    choose();
    endResetModel();
}

void FoldedModel::set_filter(const logs::FoldedFilter& filter) {
    beginResetModel();
    filter_ = filter;
    choose();
    endResetModel();
}

void FoldedModel::set_colors(const ThemeColors& colors) {
    colors_ = colors;
}

void FoldedModel::choose() {
    shown_.clear();
    for (std::size_t i = 0; rows_ && i < rows_->rows.size(); ++i) {
        if (passes(rows_->rows[i], filter_)) {
            shown_.push_back(i);
        }
    }
}

const logs::FoldedRow* FoldedModel::row_of(const QModelIndex& index) const {
    const auto line =
        index.internalId() == kTop ? std::size_t(index.row()) : std::size_t(index.internalId() - 1);
    return index.isValid() && rows_ && line < shown_.size() ? &rows_->rows[shown_[line]] : nullptr;
}

const logs::OddOne* FoldedModel::odd_of(const QModelIndex& index) const {
    const logs::FoldedRow* row = row_of(index);
    const bool below = row && index.internalId() != kTop && std::size_t(index.row()) < row->odd.size();
    return below ? &row->odd[std::size_t(index.row())] : nullptr;
}

QModelIndex FoldedModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent)) {
        return {};
    }
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : kTop);
}

QModelIndex FoldedModel::parent(const QModelIndex& index) const {
    return index.isValid() && index.internalId() != kTop ? createIndex(int(index.internalId() - 1), 0, kTop)
                                                         : QModelIndex();
}

int FoldedModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) {
        return int(shown_.size());
    }
    const logs::FoldedRow* row =
        parent.internalId() == kTop && parent.column() == 0 ? row_of(parent) : nullptr;
    return row ? int(row->odd.size()) : 0;
}

int FoldedModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QString FoldedModel::odd_text(const logs::OddOne& odd) const {
    switch (odd.kind) {
        case logs::OddKind::Missing:
            return tr("does not print this line");
        case logs::OddKind::Alone:
            return tr("prints this line alone");
        case logs::OddKind::Value:
            return tr("%1 instead of %2").arg(qs(odd.value), qs(odd.others));
    }
    return {};
}

QVariant FoldedModel::data(const QModelIndex& index, int role) const {
    const logs::FoldedRow* row = row_of(index);
    if (!row) {
        return {};
    }
    const logs::OddOne* odd = odd_of(index);
    const std::vector<int>& ranks = odd ? odd->ranks : row->ranks;
    if (role == Qt::ToolTipRole) {
        if (index.column() == Ranks) {
            return wrapped_tip(ranks_text(ranks));
        }
        const QString text = qs(row->text);
        return wrapped_tip(row->meaning.empty() ? text : text + u"\n\n"_s + nccl_line_text(row->meaning));
    }
    if (role == Qt::ForegroundRole) {
        return odd || is_warning(*row)                         ? QVariant(colors_.bad)
               : index.column() == Line || row->odd.size() > 0 ? QVariant()
                                                               : QVariant(colors_.muted);
    }
    if (role == Qt::DecorationRole && index.column() == Ranks) {
        return !odd && !row->odd.empty() ? QVariant(check_icon(CheckStatus::Warn, colors_)) : QVariant();
    }
    if (role == Qt::TextAlignmentRole && index.column() == Count) {
        return int(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) {
        return {};
    }
    switch (index.column()) {
        case Ranks:
            return ranks.empty() ? tr("–") : ranks_text(ranks);
        case Line:
            return odd ? odd_text(*odd) : qs(row->text);
        case Subsystem:
            return odd ? QString() : qs(row->subsystem);
        case Count:
            return odd ? QString() : count_text(std::int64_t(row->count));
        default:
            return {};
    }
}

QVariant FoldedModel::headerData(int section, Qt::Orientation orientation, int role) const {
    const bool processes = rows_ && !rows_->ranks_known;
    return column_title({processes ? tr("Processes") : tr("Ranks"), tr("Line"), tr("Subsystem"), tr("Lines")},
                        section, orientation, role);
}

}  // namespace rankscope::gui
