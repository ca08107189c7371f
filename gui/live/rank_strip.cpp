// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/rank_strip.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <map>

namespace rankscope::gui {

namespace {

constexpr double kFaded = 0.35;  ///< ranks of a node that does not answer

}  // namespace

QString phase_summary(const std::vector<RankState>& ranks, const std::vector<std::string>& unreachable,
                      const std::vector<RankHold>& holds) {
    std::array<int, 8> counts{};
    std::map<std::string, int> unknown;  // ranks by node that the desk does not reach
    std::map<QString, int> faulty;
    int waiting = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const RankState& rank = ranks[i];
        const RankHold hold = i < holds.size() ? holds[i] : RankHold{};
        if (hold.kind == RankHold::Kind::Faulty) {
            ++faulty[hold.text];
        } else if (hold.kind == RankHold::Kind::Waits) {
            ++waiting;
        } else if (!rank.exit && std::binary_search(unreachable.begin(), unreachable.end(), rank.node)) {
            ++unknown[rank.node];
        } else {
            ++counts[std::size_t(rank.phase)];
        }
    }
    QStringList parts;
    for (const auto& [text, count] : faulty) {
        parts += QString(QString::number(count) % u' ' % text);
    }
    if (waiting > 0) {
        parts += RankStrip::tr("%1 waiting for it").arg(waiting);
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) {
            parts += QString(QString::number(counts[i]) % u' ' % phase_text(RankPhase(i)));
        }
    }
    if (unknown.size() == 1) {
        parts +=
            RankStrip::tr("%1 unknown on %2").arg(unknown.begin()->second).arg(qs(unknown.begin()->first));
    } else if (!unknown.empty()) {
        int all = 0;
        for (const auto& [node, count] : unknown) {
            all += count;
        }
        parts += RankStrip::tr("%1 unknown on %2 nodes").arg(all).arg(unknown.size());
    }
    return parts.join(u" · "_s);
}

RankSquares::RankSquares(QWidget* parent) : QWidget(parent) {
    setObjectName(u"rankSquares"_s);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void RankSquares::set_ranks(const std::vector<RankState>* ranks, const std::vector<std::string>& unreachable,
                            const std::vector<RankHold>& holds) {
    ranks_ = ranks;
    unreachable_ = unreachable;
    holds_ = holds;
    const std::size_t count = ranks ? ranks->size() : 0;
    if (count != known_) {
        known_ = count;
        grid_ = lay_out(width());
        updateGeometry();
    }
    update();
}

void RankSquares::set_selected(const std::vector<int>& ranks) {
    selected_ = ranks;
    update();
}

SquareGrid RankSquares::lay_out(int width) const {
    return lay_out_squares(known_, width,
                           [this](std::size_t i) { return (*ranks_)[i].node != (*ranks_)[i - 1].node; });
}

int RankSquares::heightForWidth(int width) const {
    return lay_out(width).height;
}

QSize RankSquares::sizeHint() const {
    return {600, lay_out(std::max(width(), 200)).height};
}

void RankSquares::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    grid_ = lay_out(width());
    updateGeometry();
}

bool RankSquares::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int rank = rank_at(help->pos());
        if (rank < 0 || !ranks_ || rank >= int(ranks_->size())) {
            QToolTip::hideText();
        } else {
            const RankState& state = (*ranks_)[std::size_t(rank)];
            QString text = tr("Rank %1 on %2, %3: %4")
                               .arg(state.rank)
                               .arg(qs(state.node), qs(state.device), phase_text(state.phase));
            const RankHold& hold = hold_of(std::size_t(rank));
            if (hold.kind != RankHold::Kind::None) {
                text = tr("Rank %1 on %2, %3: %4\nlast reported: %5")
                           .arg(state.rank)
                           .arg(qs(state.node), qs(state.device), hold.text, phase_text(state.phase));
            }
            if (state.step >= 0) {
                text += tr("\nstep %1").arg(count_text(state.step));
            }
            if (stale(state)) {
                text += tr("\nnow unknown: its node does not answer");
            }
            if (state.exit) {
                text += tr("\nended with %1").arg(exit_text(state.exit->code, state.exit->signal));
            }
            QToolTip::showText(help->globalPos(), plain_text(text), this);
        }
        return true;
    }
    return QWidget::event(event);
}

void RankSquares::mousePressEvent(QMouseEvent* event) {
    const int rank = rank_at(event->pos());
    if (rank >= 0) {
        emit clicked(rank);
    }
}

void RankSquares::paintEvent(QPaintEvent*) {
    if (!ranks_ || grid_.places.size() != ranks_->size()) {
        return;
    }
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    const int cell = grid_.cell;
    for (std::size_t i = 0; i < grid_.places.size(); ++i) {
        const bool faded = stale((*ranks_)[i]);
        painter.setOpacity(faded ? kFaded : 1);
        const QRectF box(grid_.places[i], QSizeF(cell, cell));
        const RankHold& hold = hold_of(i);
        if (hold.kind == RankHold::Kind::None) {
            draw_phase_glyph(painter, box, (*ranks_)[i].phase, colors);
        } else {
            draw_hold_glyph(painter, box, hold.kind, colors);
        }
        if (faded) {  // a shape as well, for eyes that do not see the fading
            painter.setOpacity(1);
            painter.setPen(QPen(colors.muted, 1));
            painter.drawLine(QLineF(grid_.places[i] + QPoint(0, cell), grid_.places[i] + QPoint(cell, 0)));
        }
    }
    painter.setOpacity(1);
    painter.setPen(QPen(colors.text, 1.5));
    painter.setBrush(Qt::NoBrush);
    for (const int rank : selected_) {
        painter.drawRect(square(rank).adjusted(-1, -1, 1, 1));
    }
}

bool RankSquares::stale(const RankState& rank) const {
    return !rank.exit && std::binary_search(unreachable_.begin(), unreachable_.end(), rank.node);
}

const RankHold& RankSquares::hold_of(std::size_t rank) const {
    static const RankHold none;
    return rank < holds_.size() ? holds_[rank] : none;
}

RankStrip::RankStrip(QWidget* parent)
    : QWidget(parent), summary_(make_label({}, this, "muted")), squares_(new RankSquares(this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 1, 10, 1);
    layout->setSpacing(14);
    layout->addWidget(squares_, 1);
    layout->addWidget(summary_, 0, Qt::AlignTop);
    summary_->setObjectName(u"rankSummary"_s);
}

void RankStrip::set_state(const RunState& state, std::int64_t now_us) {
    const std::vector<std::string> unreachable = state.health(now_us).unreachable;  // in the order of a map
    const std::vector<RankHold> holds = rank_holds(state);
    squares_->set_ranks(&state.ranks, unreachable, holds);
    const QString text = phase_summary(state.ranks, unreachable, holds);
    summary_->setText(text);
    squares_->setAccessibleName(tr("Ranks: %1").arg(text));
    setVisible(!state.ranks.empty());
}

QString RankStrip::summary() const {
    return summary_->text();
}

}  // namespace rankscope::gui
