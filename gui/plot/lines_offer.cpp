// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/lines_offer.h>
#include <gui/strings.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::size_t kExamples = 3;
constexpr qsizetype kNamed = 4;  ///< curves on the button

}  // namespace

LinesOffer::LinesOffer(QWidget* parent) : QWidget(parent) {
    setObjectName(u"linesOffer"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 4, 16, 4);
    layout->setSpacing(4);
    layout->addStretch(1);
    title_ = make_label(tr("The ranks print numbers that no curve shows yet:"), this);
    title_->setAlignment(Qt::AlignHCenter);
    title_->setWordWrap(true);
    layout->addWidget(title_);
    for (std::size_t i = 0; i < kExamples; ++i) {
        auto* line = new ElidedLabel(this);
        line->setObjectName(u"offeredLine%1"_s.arg(i));
        line->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
        line->setTextFormat(Qt::PlainText);
        line->setAlignment(Qt::AlignHCenter);
        layout->addWidget(line);
        examples_.push_back(line);
    }
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    draw_ = make_button({}, "drawLines", this, "primary");
    draw_->setToolTip(tr("Reads the whole log with the pattern, and that of the next runs of this job"));
    change_ = make_button(tr("&Change…"), "changeLines", this);
    change_->setToolTip(tr("Choose which numbers become curves, and what to call them"));
    buttons->addWidget(draw_);
    buttons->addWidget(change_);
    buttons->addStretch(1);
    layout->addSpacing(4);
    layout->addLayout(buttons);
    layout->addStretch(1);
    connect(draw_, &QPushButton::clicked, this, &LinesOffer::drawRequested);
    connect(change_, &QPushButton::clicked, this, &LinesOffer::changeRequested);
}

void LinesOffer::set_lines(const metric_lines::UnreadNotice& lines) {
    if (lines != lines_) {
        lines_ = lines;
        write();
    }
}

void LinesOffer::write() {
    QStringList names;
    for (const std::string& name : lines_.series()) {
        names += qs(name);
    }
    const qsizetype more = std::max<qsizetype>(0, names.size() - kNamed);
    const QString named = names.mid(0, kNamed).join(u", "_s).replace(u'&', u"&&"_s);
    draw_->setText(more > 0 ? tr("&Draw %1 and %2 more").arg(named).arg(more) : tr("&Draw %1").arg(named));
    // The newest; fewer where the pane is low.
    const int line = examples_.front()->fontMetrics().height() + layout()->spacing();
    const int others = title_->sizeHint().height() + draw_->sizeHint().height() + 5 * layout()->spacing() + 8;
    const auto room = std::size_t(std::clamp((height() - others) / line, 1, int(kExamples)));
    const std::size_t shown = std::min(room, lines_.examples.size());
    for (std::size_t i = 0; i < examples_.size(); ++i) {
        examples_[i]->setVisible(i < shown);
        if (i < shown) {
            examples_[i]->set_full_text(qs(lines_.examples[lines_.examples.size() - shown + i]));
        }
    }
}

void LinesOffer::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    write();
}

}  // namespace rankscope::gui
