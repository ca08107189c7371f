// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/notice_list.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/text_height.h>

#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTextCursor>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kMostLines = 5;

QString one_line(const std::string& text) {
    return qs(displayable(text, LogStore::kMaxLineBytes)).simplified();
}

}  // namespace

NoticeList::NoticeList(QWidget* parent) : QFrame(parent) {
    setObjectName(u"noticeList"_s);
    setProperty("role", u"notice"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(10);
    view_ = new QPlainTextEdit(this);
    view_->setObjectName(u"noticeText"_s);
    view_->setAccessibleName(tr("Notices of the nodes"));
    view_->setReadOnly(true);
    view_->document()->setDocumentMargin(2);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setTabChangesFocus(true);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    layout->addWidget(view_, 1);
    dismiss_ = make_button(tr("&Dismiss"), "noticeDismiss", this);
    dismiss_->setToolTip(tr("They stay in the log of the run"));
    layout->addWidget(dismiss_, 0, Qt::AlignTop);
    connect(dismiss_, &QPushButton::clicked, this, [this] {
        set_open(false);
        emit closed();
    });
    hide();
}

void NoticeList::set_notices(const LiveData& run) {
    std::vector<NodeNotice> notices;
    std::copy_if(run.notices.begin(), run.notices.end(), std::back_inserter(notices),
                 [&](const NodeNotice& notice) { return !run.is_in_a_verdict(notice); });
    const bool same_run = run_id_ == run.state.run_id;
    if (same_run && notices == notices_) {
        return;
    }
    const bool news = !notices.empty() && (!same_run || std::find(notices_.begin(), notices_.end(),
                                                                  notices.back()) == notices_.end());
    run_id_ = run.state.run_id;
    dropped_ = run.notices_seen - run.notices.size();
    notices_ = std::move(notices);
    is_news_ = news || (is_news_ && same_run);
    set_open(!notices_.empty() && same_run && !isHidden());
    write();
}

void NoticeList::set_open(bool on) {
    setVisible(on);
    is_news_ = is_news_ && !on;
}

// The newest first: it is what one has not read yet.
void NoticeList::write() {
    const ThemeColors colors = theme_colors(palette());
    QTextCharFormat plain;
    plain.setForeground(colors.text);
    QTextCharFormat bold = plain;
    bold.setFontWeight(QFont::DemiBold);
    QTextCharFormat muted;
    muted.setForeground(colors.muted);
    view_->clear();
    QTextCursor cursor(view_->document());
    for (auto notice = notices_.rbegin(); notice != notices_.rend(); ++notice) {
        if (notice != notices_.rbegin()) {
            cursor.insertBlock();
        }
        const QDateTime time = QDateTime::fromMSecsSinceEpoch(notice->t_us / 1000);
        cursor.insertText(time.toString(u"HH:mm:ss  "_s), muted);
        cursor.insertText((notice->node.empty() ? tr("this computer") : qs(notice->node)) + u"  "_s, bold);
        cursor.insertText(one_line(notice->title), plain);
        for (const std::string& fix : notice->fix) {
            cursor.insertText(QString(u"  "_s % one_line(fix)), muted);
        }
    }
    if (dropped_ > 0) {
        cursor.insertBlock();
        cursor.insertText(tr("and %1 earlier ones: see the log").arg(dropped_), muted);
    }
    view_->verticalScrollBar()->setValue(0);
    fit();
}

QString NoticeList::text() const {
    return view_->toPlainText();
}

void NoticeList::fit() {
    const int lines = std::clamp(int(std::ceil(view_->document()->size().height())), 1, kMostLines);
    view_->setFixedHeight(text_height(view_->font(), lines) + 2 * int(view_->document()->documentMargin()) +
                          2);
}

void NoticeList::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    // Only after the view itself has its new width is it known how the lines wrap.
    QMetaObject::invokeMethod(this, &NoticeList::fit, Qt::QueuedConnection);
}

void NoticeList::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !notices_.empty()) {
        write();
    }
}

}  // namespace rankscope::gui
