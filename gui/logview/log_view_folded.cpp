// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The same line of several ranks once: which ranks printed it, and what differs.

#include <gui/data/line_level.h>
#include <gui/logview/log_view.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/logs/fold/rank_set.h>

#include <QHelpEvent>
#include <QPainter>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::size_t kCompared = 16;          ///< lines that are looked at for what differs
constexpr std::size_t kShownInTip = 8;         ///< of other ranks
constexpr std::size_t kTipBytes = 200;         ///< of each
constexpr std::size_t kMostLabel = 11;         ///< characters
constexpr std::int64_t kMayCome = 10'000'000;  ///< while a run is live, the others' line may follow so late

}  // namespace

void LogView::set_ranks(const std::vector<int>& ranks, bool complete) {
    if (ranks != ranks_ || complete != is_complete_) {
        ranks_ = ranks;
        is_complete_ = complete;
        viewport()->update();
    }
}

std::vector<logs::TextPart> LogView::varying_parts(std::uint32_t line) const {
    std::vector<KeptText> kept;
    std::vector<std::string_view> others;
    for (const std::uint32_t other : rows_->rings().lines_of(line, kCompared)) {
        if (other != line) {
            kept.push_back(rows_->store().text(other));
            others.push_back(kept.back().view());
        }
    }
    return others.empty() ? std::vector<logs::TextPart>()
                          : logs::varying_parts(rows_->store().text(line).view(), others);
}

logs::Presence LogView::presence(std::uint32_t line, const std::vector<int>& ranks) const {
    const LineSource& store = rows_->store();
    const LineLevel level = level_of_line(store.text(line).view());
    const logs::Presence presence = logs::presence_of(
        ranks, ranks_,
        level == LineLevel::Error || level == LineLevel::Warning || store.kind(line) == LogKind::Err);
    const std::uint32_t newest = rows_->count() > 0 ? rows_->line(rows_->count() - 1) : line;
    const bool may_come = !is_complete_ && store.t_us(newest) - store.t_us(line) < kMayCome;
    return may_come ? logs::Presence::Common : presence;
}

void LogView::draw_ranks(QPainter& painter, std::uint32_t line, double right, int base,
                         const ThemeColors& colors) const {
    const std::vector<int> ranks = rows_->rings().ranks_of(rows_->store(), line);
    if (ranks.empty()) {
        return;
    }
    const std::string label = '[' + logs::ranks_text(ranks) + ']';
    const QString text = label.size() <= kMostLabel ? qs(label) : tr("[%1 ranks]").arg(ranks.size());
    const logs::Presence found = presence(line, ranks);
    painter.setPen(found != logs::Presence::Common ? colors.warning
                   : ranks.size() == 1             ? rank_color(ranks.front(), colors.dark)
                                                   : colors.muted);
    const QFont usual = painter.font();
    if (found != logs::Presence::Common) {
        QFont bold = usual;
        bold.setBold(true);
        painter.setFont(bold);
    }
    painter.drawText(QPointF(right - painter.fontMetrics().horizontalAdvance(text), base), text);
    painter.setFont(usual);
}

QString LogView::folded_tip(std::uint32_t line) const {
    const LineSource& store = rows_->store();
    const std::vector<int> ranks = rows_->rings().ranks_of(store, line);
    if (ranks.empty()) {
        return {};
    }
    QString tip = tr("Printed by rank(s) %1.", nullptr, int(ranks.size())).arg(ranks_text(ranks));
    const logs::Presence found = presence(line, ranks);
    std::vector<int> missing;
    std::set_difference(ranks_.begin(), ranks_.end(), ranks.begin(), ranks.end(),
                        std::back_inserter(missing));
    if (found == logs::Presence::Missing) {
        tip += u' ' % tr("Not by rank(s) %1.", nullptr, int(missing.size())).arg(ranks_text(missing));
    } else if (found == logs::Presence::Alone) {
        tip += u' ' % tr("By no other one.");
    }
    std::vector<std::uint32_t> lines = rows_->rings().lines_of(line, kCompared);
    std::sort(lines.begin(), lines.end(),
              [&](std::uint32_t a, std::uint32_t b) { return store.rank(a) < store.rank(b); });
    const bool differ = std::any_of(lines.begin(), lines.end(), [&](std::uint32_t each) {
        return store.text(each).view() != store.text(line).view();
    });
    for (std::size_t i = 0; differ && i < lines.size() && i < kShownInTip; ++i) {
        const KeptText kept = store.text(lines[i]);
        const std::string_view text = kept.view().substr(0, kTipBytes);
        tip +=
            u"\n[%1] "_s.arg(store.rank(lines[i])) % QString::fromUtf8(text.data(), qsizetype(text.size()));
    }
    return tip;
}

bool LogView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto place = place_at(static_cast<QHelpEvent*>(event)->pos());
        const QString tip = rows_->folded() && place ? folded_tip(place->line) : QString();
        viewport()->setToolTip(wrapped_tip(tip));  // where it stands, the base class shows it
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace rankscope::gui
