// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/start_waterfall.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

namespace rankscope::gui {

namespace {

constexpr int kShownRows = 8;
constexpr int kBarPad = 8;
constexpr int kWidestName = 190;

QColor part_color(StartPart part, const ThemeColors& colors) {
    switch (part) {
        case StartPart::Connect:
            return colors.muted;
        case StartPart::Push:
            return rank_color(3, colors.dark);
        case StartPart::Process:
            return phase_color(RankPhase::Starting, colors);
        case StartPart::Imports:
            return rank_color(5, colors.dark);
        case StartPart::Rendezvous:
            return phase_color(RankPhase::Rendezvous, colors);
        case StartPart::FirstStep:
            return phase_color(RankPhase::Training, colors);
    }
    return colors.muted;
}

QString row_name(const StartRow& row) {
    return row.ranks.size() == 1
               ? StartWaterfall::tr("%1 · %2").arg(QString::number(row.ranks.front()), qs(row.node))
               : StartWaterfall::tr("%1 · %2").arg(qs(row.node), ranks_text(row.ranks));
}

QString row_text(const StartRow& row, std::int64_t now_us) {
    QStringList lines{row.ranks.size() == 1
                          ? StartWaterfall::tr("Rank %1 on %2").arg(row.ranks.front()).arg(qs(row.node))
                          : StartWaterfall::tr("Ranks %1 on %2, the slowest of each part")
                                .arg(ranks_text(row.ranks), qs(row.node))};
    for (std::size_t i = 0; i < kStartParts; ++i) {
        const StartSpan& span = row.spans[i];
        if (span.begun()) {
            const bool open = span.end_us == 0;
            const QString time =
                duration_us_text(span.begin_us, open ? std::max(now_us, span.begin_us) : span.end_us);
            lines += open ? StartWaterfall::tr("%1: %2 so far").arg(start_part_text(StartPart(i)), time)
                          : StartWaterfall::tr("%1: %2").arg(start_part_text(StartPart(i)), time);
        }
    }
    return lines.join(u'\n');
}

}  // namespace

QString start_part_text(StartPart part) {
    switch (part) {
        case StartPart::Connect:
            return StartWaterfall::tr("Connect");
        case StartPart::Push:
            return StartWaterfall::tr("Push");
        case StartPart::Process:
            return StartWaterfall::tr("Process");
        case StartPart::Imports:
            return StartWaterfall::tr("Imports");
        case StartPart::Rendezvous:
            return StartWaterfall::tr("Rendezvous");
        case StartPart::FirstStep:
            return StartWaterfall::tr("First step");
    }
    return {};
}

QString awaited_text(const RunState& state, const StartTimes& times) {
    const std::vector<int> awaited = awaited_ranks(state, times);
    if (awaited.empty()) {
        return {};
    }
    std::set<std::string> nodes;
    for (const int rank : awaited) {
        nodes.insert(state.ranks[std::size_t(rank)].node);
    }
    const QString where =
        nodes.size() == 1 ? qs(*nodes.begin()) : StartWaterfall::tr("%1 nodes").arg(nodes.size());
    const StartTimes::Rank& first = times.rank(std::size_t(awaited.front()));
    QString how;
    if (first.started == 0) {
        how = StartWaterfall::tr("not started yet");
    } else if (first.met != 0) {
        how = StartWaterfall::tr("no first step yet");
    } else if (first.at_rendezvous != 0) {
        how = StartWaterfall::tr("at the rendezvous, not met by the others yet");
    } else {
        how = StartWaterfall::tr("its process has started, nothing from it yet");
        if (awaited.size() > 1) {
            how = StartWaterfall::tr("their processes have started, nothing from them yet");
        }
    }
    return awaited.size() == 1 ? StartWaterfall::tr("Waiting for rank %1 on %2: %3")
                                     .arg(QString::number(awaited.front()), where, how)
                               : StartWaterfall::tr("Waiting for %1 ranks on %2 (%3): %4")
                                     .arg(QString::number(awaited.size()), where, ranks_text(awaited), how);
}

StartBars::StartBars(QWidget* parent) : QAbstractScrollArea(parent) {
    setObjectName(u"startBars"_s);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Start of each rank"));
}

int StartBars::row_height() const {
    return fontMetrics().height() + 1;
}

QSize StartBars::sizeHint() const {
    return {600, std::clamp(int(rows_.size()), 1, kShownRows) * row_height() + 2};
}

QSize StartBars::minimumSizeHint() const {
    return {200, 2 * row_height() + 2};
}

void StartBars::set_rows(std::vector<StartRow> rows, std::int64_t begin_us, std::int64_t now_us) {
    const bool other = rows.size() != rows_.size();
    rows_ = std::move(rows);
    begin_us_ = begin_us;
    now_us_ = now_us;
    if (other) {
        fit_bar();
        updateGeometry();
    }
    viewport()->update();
}

void StartBars::set_selected(const std::vector<int>& ranks) {
    selected_ = ranks;
    std::sort(selected_.begin(), selected_.end());
    viewport()->update();
}

bool StartBars::is_selected(const StartRow& row) const {
    return std::any_of(row.ranks.begin(), row.ranks.end(), [this](int rank) {
        return std::binary_search(selected_.begin(), selected_.end(), rank);
    });
}

void StartBars::fit_bar() {
    verticalScrollBar()->setRange(0,
                                  std::max(int(rows_.size()) * row_height() + 2 - viewport()->height(), 0));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(row_height());
}

void StartBars::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    fit_bar();
}

int StartBars::row_at(const QPoint& point) const {
    const int row = (point.y() + verticalScrollBar()->value()) / row_height();
    return row >= 0 && row < int(rows_.size()) ? row : -1;
}

void StartBars::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const ThemeColors colors = theme_colors(palette());
    const int height = row_height();
    const int top = verticalScrollBar()->value();
    const int first = std::max(top / height, 0);
    const int last = std::min((top + viewport()->height()) / height, int(rows_.size()) - 1);
    int name_width = 0;
    for (int i = first; i <= last; ++i) {
        name_width =
            std::max(name_width, fontMetrics().horizontalAdvance(row_name(rows_[std::size_t(i)])) + 4);
    }
    name_width = std::min(name_width, kWidestName);
    const double left = name_width + 2 * kBarPad;
    const double width = std::max(viewport()->width() - left - kBarPad, 10.0);
    const double span = std::max(double(now_us_ - begin_us_), 1.0);
    const auto x_of = [&](std::int64_t t_us) {
        return left + width * std::clamp(double(t_us - begin_us_) / span, 0.0, 1.0);
    };
    for (int i = first; i <= last; ++i) {
        const StartRow& row = rows_[std::size_t(i)];
        const int y = i * height - top + 1;
        if (is_selected(row)) {
            painter.fillRect(QRect(0, y, viewport()->width(), height), colors.selection);
        }
        painter.setPen(row.awaited ? colors.bad : colors.text);
        painter.drawText(QRect(kBarPad, y, name_width, height), Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(row_name(row), Qt::ElideMiddle, name_width));
        for (std::size_t part = 0; part < kStartParts; ++part) {
            const StartSpan& bar = row.spans[part];
            if (!bar.begun()) {
                continue;
            }
            const bool open = bar.end_us == 0;
            const double begin = x_of(bar.begin_us);
            const double end = x_of(open ? now_us_ : bar.end_us);
            const QRectF box(begin, y + 2, std::max(end - begin, 1.5), height - 4);
            const QColor color = part_color(StartPart(part), colors);
            painter.fillRect(box, open ? QBrush(color, Qt::BDiagPattern) : QBrush(color));
            if (open) {
                painter.setPen(QPen(color, 1));
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
                break;  // of several ranks, the others may be further
            }
        }
    }
}

void StartBars::mousePressEvent(QMouseEvent* event) {
    if (const int row = row_at(event->pos()); row >= 0) {
        emit chosen(rows_[std::size_t(row)].ranks.front());
    }
}

bool StartBars::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int row = row_at(help->pos());
        if (row < 0) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), plain_text(row_text(rows_[std::size_t(row)], now_us_)),
                               viewport());
        }
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

StartWaterfall::StartWaterfall(QWidget* parent)
    : QFrame(parent),
      waiting_(new ElidedLabel(this)),
      total_(make_label({}, this, "muted")),
      bars_(new StartBars(this)) {
    setObjectName(u"startWaterfall"_s);
    setProperty("role", u"card"_s);
    setAccessibleName(tr("Start of the run"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 5, 1, 5);
    layout->setSpacing(4);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kBarPad, 0, kBarPad, 0);
    head->setSpacing(4);
    waiting_->setObjectName(u"startWaiting"_s);
    QFont bold = waiting_->font();
    bold.setBold(true);
    waiting_->setFont(bold);
    head->addWidget(waiting_, 1);
    for (std::size_t i = 0; i < kStartParts; ++i) {
        signs_.push_back(new QLabel(this));
        signs_.back()->setAccessibleName(start_part_text(StartPart(i)));
        head->addWidget(signs_.back());
        head->addWidget(make_label(start_part_text(StartPart(i)), this, "muted"));
        head->addSpacing(4);
    }
    head->addWidget(total_);
    layout->addLayout(head);
    layout->addWidget(bars_);
    connect(bars_, &StartBars::chosen, this, &StartWaterfall::rankChosen);
    color_legend();
}

void StartWaterfall::color_legend() {
    const ThemeColors colors = theme_colors(palette());
    for (std::size_t i = 0; i < signs_.size(); ++i) {
        signs_[i]->setPixmap(swatch_icon(part_color(StartPart(i), colors)).pixmap(12, 12));
    }
}

void StartWaterfall::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        color_legend();
    }
}

void StartWaterfall::set_run(const LiveData& run, std::int64_t now_us) {
    std::vector<StartRow> rows = start_rows(run.state, run.start_times);
    std::int64_t begin = 0;
    std::int64_t end = 0;
    for (const StartRow& row : rows) {
        for (const StartSpan& span : row.spans) {
            if (span.begun()) {
                begin = begin == 0 ? span.begin_us : std::min(begin, span.begin_us);
                end = std::max(end, span.end_us == 0 ? now_us : span.end_us);
            }
        }
    }
    const QString waiting = awaited_text(run.state, run.start_times);
    waiting_->set_full_text(waiting.isEmpty() ? tr("Start of the ranks") : waiting);
    total_->setText(begin == 0 ? QString() : duration_us_text(begin, end));
    const int before = bars_->sizeHint().height();
    bars_->set_rows(std::move(rows), begin, end);
    if (bars_->sizeHint().height() != before) {
        emit hintChanged();
    }
}

void StartWaterfall::set_selected(const std::vector<int>& ranks) {
    bars_->set_selected(ranks);
}

QString StartWaterfall::waiting_text() const {
    return waiting_->full_text();
}

}  // namespace rankscope::gui
