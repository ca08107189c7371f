// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/rank_strip.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr double kFaded = 0.35;  ///< ranks of a node that does not answer

void add_counts(const std::map<QString, int>& counts, QStringList& parts) {
    for (const auto& [text, count] : counts) {
        parts += QString(QString::number(count) % u' ' % text);
    }
}

/// "1 unknown since 11:17:45 on node2", "3 unknown on 2 nodes".
QString unknown_text(const std::map<std::string, std::pair<QString, int>>& unknown) {
    if (unknown.size() == 1) {
        const auto& [node, ranks] = *unknown.begin();
        return RankStrip::tr("%1 %2 on %3").arg(ranks.second).arg(ranks.first, qs(node));
    }
    int all = 0;
    for (const auto& [node, ranks] : unknown) {
        all += ranks.second;
    }
    return RankStrip::tr("%1 unknown on %2 nodes").arg(all).arg(unknown.size());
}

}  // namespace

QString phase_summary(const std::vector<RankState>& ranks, const std::vector<RankHold>& holds,
                      const QString& culprit) {
    using Kind = RankHold::Kind;
    std::array<int, 8> counts{};
    std::map<std::string, std::pair<QString, int>> unknown;  // by node: words, ranks
    std::map<QString, int> faulty;
    std::map<QString, int> others;
    int waiting = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const RankState& rank = ranks[i];
        const RankHold hold = i < holds.size() ? holds[i] : RankHold{};
        switch (hold.kind) {
            case Kind::Faulty:
            case Kind::Failed:
            case Kind::Slow:
                ++faulty[hold.text];
                break;
            case Kind::Waits:
                ++waiting;
                break;
            case Kind::LostPeer:
            case Kind::NotStarted:
                ++others[hold.text];
                break;
            case Kind::Unknown:
                unknown[rank.node].first = hold.text;
                ++unknown[rank.node].second;
                break;
            case Kind::None:
                if (hold.text.isEmpty()) {
                    ++counts[std::size_t(rank.phase)];
                } else {
                    ++others[hold.text];
                }
        }
    }
    QStringList parts;
    if (faulty.size() == 1 && !culprit.isEmpty()) {
        parts += RankStrip::tr("%1: %2").arg(culprit, faulty.begin()->first);
    } else {
        add_counts(faulty, parts);
    }
    if (waiting > 0) {
        parts += RankStrip::tr("%1 waiting for it").arg(waiting);
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) {
            parts += QString(QString::number(counts[i]) % u' ' % phase_text(RankPhase(i)));
        }
    }
    add_counts(others, parts);
    if (!unknown.empty()) {
        parts += unknown_text(unknown);
    }
    return parts.join(u" · "_s);
}

RankSquares::RankSquares(QWidget* parent) : SquareGrid(parent) {
    setObjectName(u"rankSquares"_s);
}

void RankSquares::set_ranks(const std::vector<RankState>* ranks, const std::vector<RankHold>& holds) {
    ranks_ = ranks;
    holds_ = holds;
    const std::size_t count = ranks ? ranks->size() : 0;
    if (count != known_) {
        known_ = count;
        order_ranks();
        lay_out();
    }
    update();
}

void RankSquares::set_groups(std::vector<std::vector<int>> groups) {
    if (groups == groups_) {
        return;
    }
    groups_ = std::move(groups);
    order_ranks();
    lay_out();
    update();
}

void RankSquares::order_ranks() {
    order_.clear();
    group_of_.clear();
    square_of_.assign(known_, -1);
    const auto add = [this](int rank, int group) {
        if (rank >= 0 && std::size_t(rank) < known_ && square_of_[std::size_t(rank)] < 0) {
            square_of_[std::size_t(rank)] = int(order_.size());
            order_.push_back(rank);
            group_of_.push_back(group);
        }
    };
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        for (const int rank : groups_[group]) {
            add(rank, int(group));
        }
    }
    for (int rank = 0; std::size_t(rank) < known_; ++rank) {
        add(rank, -1);
    }
}

bool RankSquares::begins_group(std::size_t index) const {
    if (!groups_.empty()) {
        return group_of_[index] != group_of_[index - 1];
    }
    return (*ranks_)[index].node != (*ranks_)[index - 1].node;
}

int RankSquares::rank_at(const QPoint& point) const {
    const int index = at(point);
    return index >= 0 && std::size_t(index) < order_.size() ? order_[std::size_t(index)] : -1;
}

QRect RankSquares::square_of(int rank) const {
    return rank >= 0 && std::size_t(rank) < square_of_.size() ? square(square_of_[std::size_t(rank)])
                                                              : QRect();
}

void RankSquares::set_selected(const std::vector<int>& ranks) {
    selected_ = ranks;
    update();
}

QString RankSquares::tip(int index) const {
    if (index < 0 || !ranks_ || std::size_t(index) >= order_.size()) {
        return {};
    }
    const auto rank = std::size_t(order_[std::size_t(index)]);
    const RankState& state = (*ranks_)[rank];
    const RankHold& hold = hold_of(rank);
    QString text =
        tr("Rank %1 on %2, %3: %4")
            .arg(state.rank)
            .arg(qs(state.node), qs(state.device), hold.text.isEmpty() ? phase_text(state.phase) : hold.text);
    if (hold.kind != RankHold::Kind::None) {
        text = tr("Rank %1 on %2, %3: %4\nlast reported: %5")
                   .arg(state.rank)
                   .arg(qs(state.node), qs(state.device), hold.text, phase_text(state.phase));
    }
    if (const QString place = mesh_ ? qs(place_text(*mesh_, state.rank)) : QString(); !place.isEmpty()) {
        text += u'\n' + place;
    }
    if (state.step >= 0) {
        text += tr("\nstep %1").arg(count_text(state.step));
    }
    if (hold.silent) {
        text += tr("\nnow unknown: its node does not answer");
    }
    if (state.exit) {
        text += tr("\nended with %1").arg(exit_text(state.exit->code, state.exit->signal));
    }
    return text;
}

void RankSquares::mousePressEvent(QMouseEvent* event) {
    const int rank = rank_at(event->pos());
    if (rank >= 0) {
        emit clicked(rank);
    }
}

void RankSquares::paintEvent(QPaintEvent*) {
    if (!ranks_ || placed() != int(ranks_->size())) {
        return;
    }
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    for (std::size_t i = 0; i < ranks_->size(); ++i) {
        const RankHold& hold = hold_of(i);
        painter.setOpacity(hold.kind == RankHold::Kind::Unknown ? kFaded : 1);
        const QRectF box(square_of(int(i)));
        if (hold.kind == RankHold::Kind::None || hold.kind == RankHold::Kind::Failed) {
            draw_phase_glyph(painter, box, (*ranks_)[i].phase, colors);
        } else {
            draw_hold_glyph(painter, box, hold.kind, colors);
        }
        if (hold.silent) {  // a shape as well, for eyes that do not see the fading
            painter.setOpacity(1);
            painter.setPen(QPen(colors.muted, 1));
            painter.drawLine(QLineF(box.bottomLeft(), box.topRight()));
        }
    }
    painter.setOpacity(1);
    painter.setPen(QPen(colors.text, 1.5));
    painter.setBrush(Qt::NoBrush);
    for (const int rank : selected_) {
        painter.drawRect(square_of(rank).adjusted(-1, -1, 1, 1));
    }
}

const RankHold& RankSquares::hold_of(std::size_t rank) const {
    static const RankHold none;
    return rank < holds_.size() ? holds_[rank] : none;
}

RankStrip::RankStrip(QWidget* parent)
    : QWidget(parent),
      summary_(make_label({}, this, "muted")),
      squares_(new RankSquares(this)),
      grouping_(new ComboBox(this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 1, 10, 1);
    layout->setSpacing(14);
    layout->addWidget(squares_, 1);
    layout->addWidget(grouping_, 0, Qt::AlignTop);
    layout->addWidget(summary_, 0, Qt::AlignTop);
    summary_->setObjectName(u"rankSummary"_s);
    grouping_->setObjectName(u"rankGrouping"_s);
    grouping_->setAccessibleName(tr("Groups of the squares"));
    grouping_->hide();
    connect(grouping_, &QComboBox::currentIndexChanged, this, &RankStrip::show_groups);
}

// Axes appear once the program has opened their groups; the choice stays while its axis does.
void RankStrip::show_axes() {
    QStringList axes;
    if (!mesh_->empty()) {
        for (const MeshAxis& axis : mesh_->mesh.axes) {
            axes += qs(axis.name);
        }
    }
    if (axes != axes_) {
        const QString chosen = grouping_->currentData().toString();
        axes_ = axes;
        const QSignalBlocker quiet(grouping_);
        grouping_->clear();
        grouping_->addItem(tr("By node"), QString());
        for (const QString& axis : axes_) {
            grouping_->addItem(tr("By %1", "axis of the mesh").arg(axis), axis);
        }
        grouping_->setCurrentIndex(std::max(grouping_->findData(chosen), 0));
    }
    grouping_->setVisible(!axes_.isEmpty());
    grouping_->setToolTip(
        plain_text(tr("Which ranks are next to each other. The mesh: %1").arg(qs(mesh_text(*mesh_)))));
}

void RankStrip::show_groups() {
    const std::string axis = grouping_->currentData().toString().toStdString();
    squares_->set_groups(axis.empty() ? std::vector<std::vector<int>>() : groups_on(*mesh_, axis));
}

void RankStrip::set_live(const LiveModel& live) {
    const RunState& state = live.state();
    const FaultMarks marks = fault_marks(state);
    const std::vector<RankHold> holds = rank_holds(state, marks);
    squares_->set_ranks(&state.ranks, holds);
    if (mesh_ != live.mesh()) {
        mesh_ = live.mesh();
        squares_->set_mesh(mesh_);
        show_axes();
        show_groups();
    }
    const QString text = phase_summary(state.ranks, holds, qs(marks.culprit_name()));
    summary_->setText(text);
    squares_->setAccessibleName(tr("Ranks: %1").arg(text));
    setVisible(!state.ranks.empty());
}

QString RankStrip::summary() const {
    return summary_->text();
}

}  // namespace rankscope::gui
