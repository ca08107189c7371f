// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/fleet_model.h>
#include <gui/models/rank_table_model.h>
#include <gui/models/runs_model.h>
#include <gui/style/glyphs.h>
#include <gui/style/table_delegates.h>

#include <map>
#include <utility>

namespace rankscope::gui {

namespace {

/// Painting a pixmap for every cell of every frame is what makes tables slow: each is made once per theme.
template <typename Key, typename Make>
QIcon cached(Key key, bool dark, Make make) {
    static std::map<std::pair<Key, bool>, QIcon> icons;  // the window's thread only
    auto& icon = icons[{key, dark}];
    if (icon.isNull()) {
        icon = make();
    }
    return icon;
}

void set_icon(QStyleOptionViewItem* option, const QIcon& icon, int size) {
    option->icon = icon;
    option->decorationSize = QSize(size, size);
    option->features |= QStyleOptionViewItem::HasDecoration;
}

}  // namespace

void PhaseDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const ThemeColors colors = theme_colors(option->palette);
    if (index.data(RankTableModel::StaleRole).toBool()) {
        for (const QPalette::ColorRole role : {QPalette::Text, QPalette::HighlightedText}) {
            option->palette.setColor(role, colors.muted);
        }
        option->font.setItalic(true);
    }
    if (index.column() == RankTableModel::Rank) {
        const int rank = index.data(RankTableModel::RankRole).toInt();
        set_icon(option,
                 cached(rank, colors.dark, [&] { return swatch_icon(rank_color(rank, colors.dark)); }), 12);
    } else if (index.column() == RankTableModel::Phase) {
        const auto phase = RankPhase(index.data(RankTableModel::PhaseRole).toInt());
        const auto hold = RankHold::Kind(index.data(RankTableModel::HoldRole).toInt());
        set_icon(option,
                 hold == RankHold::Kind::None || hold == RankHold::Kind::Failed
                     ? cached(phase, colors.dark, [&] { return phase_icon(phase, colors); })
                     : cached(hold, colors.dark, [&] { return hold_icon(hold, colors); }),
                 14);
    }
}

void ProbeDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() == FleetModel::State) {
        const ThemeColors colors = theme_colors(option->palette);
        const auto state = ProbeState(index.data(FleetModel::ProbeStateRole).toInt());
        set_icon(option, cached(state, colors.dark, [&] { return probe_icon(state, colors); }), 16);
        option->textElideMode = Qt::ElideRight;
    }
}

void OutcomeDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() == RunsModel::State && index.data(RunsModel::OutcomeRole).isValid()) {
        const ThemeColors colors = theme_colors(option->palette);
        const auto outcome = Outcome(index.data(RunsModel::OutcomeRole).toInt());
        set_icon(option, cached(outcome, colors.dark, [&] { return outcome_icon(outcome, colors); }), 16);
    } else if (index.column() == RunsModel::Summary) {
        option->textElideMode = Qt::ElideRight;
    }
}

void CheckDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    option->textElideMode = Qt::ElideRight;
    if (index.column() == column_) {
        const ThemeColors colors = theme_colors(option->palette);
        const auto status = CheckStatus(index.data(role_).toInt());
        set_icon(option, cached(status, colors.dark, [&] { return check_icon(status, colors); }), 16);
    }
}

}  // namespace rankscope::gui
