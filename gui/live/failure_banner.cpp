// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/doctor/fix_row.h>
#include <gui/live/failure_banner.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/text_height.h>

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kShownLines = 6;
constexpr int kFixLines = 8;   ///< of text, of all fixes
constexpr int kBarWidth = 14;  ///< of their scroll bar

}  // namespace

FailureBanner::FailureBanner(FixRunner* fixes, QWidget* parent) : QFrame(parent), runner_(fixes) {
    setObjectName(u"failureBanner"_s);
    setProperty("role", u"banner"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 10, 6);
    layout->setSpacing(5);
    auto* head = new QHBoxLayout;
    head->setSpacing(12);
    title_ = make_label({}, this);
    title_->setObjectName(u"failureTitle"_s);
    QFont bold = title_->font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.15);
    title_->setFont(bold);
    text_ = make_label({}, this);
    text_->setObjectName(u"failureText"_s);
    lines_ = new QTextBrowser(this);
    lines_->setObjectName(u"failureLines"_s);
    lines_->setAccessibleName(tr("Evidence"));
    lines_->setOpenLinks(false);
    lines_->setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::TextSelectableByKeyboard);
    lines_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    lines_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    lines_->viewport()->installEventFilter(this);
    // How far the lines reach is known when they are laid out.
    connect(lines_->verticalScrollBar(), &QScrollBar::rangeChanged, this, &FailureBanner::place_lines);
    connect(lines_->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] { opens_ = false; });
    remedy_ = make_label({}, this);
    remedy_->setObjectName(u"failureRemedy"_s);
    lines_->hide();
    for (QLabel* label : {title_, text_, remedy_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    head->addWidget(title_, 1);
    fold_ = make_button({}, "failureWhy", this);
    close_ = make_button(tr("Dismiss"), "failureDismiss", this);
    head->addWidget(fold_, 0, Qt::AlignTop);
    head->addWidget(close_, 0, Qt::AlignTop);
    layout->addLayout(head);
    details_ = new QWidget(this);
    auto* below = new QHBoxLayout(details_);
    below->setContentsMargins(0, 0, 0, 3);
    below->setSpacing(12);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(5);
    texts->addWidget(text_);
    texts->addWidget(lines_);
    texts->addWidget(remedy_);
    // Many nodes, many commands: the card stays small.
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(u"failureFixes"_s);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget(scroll);
    fix_rows_ = new QVBoxLayout(inside);
    fix_rows_->setContentsMargins(0, 0, 0, 0);
    fix_rows_->setSpacing(2);
    scroll->setWidget(inside);
    fixes_ = scroll;
    texts->addWidget(fixes_);
    texts->addStretch();
    below->addLayout(texts, 1);

    auto* buttons = new QVBoxLayout;
    buttons->setSpacing(6);
    log_ = make_button({}, "failureLog", this);
    auto* copy = make_button(tr("&Copy"), "failureCopy", this);
    node_ = make_button({}, "failureNode", this);
    pairs_ = make_button(tr("Show in &Doctor"), "failurePairs", this);
    port_ = make_button({}, "failurePort", this);
    for (QPushButton* button : {log_, node_, pairs_, port_, copy}) {
        buttons->addWidget(button);
    }
    buttons->addStretch();
    below->addLayout(buttons);
    layout->addWidget(details_);
    connect(fold_, &QPushButton::clicked, this, [this] {
        unfolded_ = details_->isHidden();
        fold();
    });
    connect(log_, &QPushButton::clicked, this, [this] { emit logRequested(report_.rank); });
    connect(lines_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        const auto index = url.toString().toUInt();
        if (of_files_ && index < report_.lines.size()) {
            emit placeRequested(qs(report_.lines[index].file), report_.lines[index].line);
        } else if (index < numbers_.size() && numbers_[index] != 0) {
            emit lineRequested(report_.lines[index].rank, numbers_[index]);
        }
    });
    connect(node_, &QPushButton::clicked, this, [this] { emit nodeRequested(qs(report_.node)); });
    connect(pairs_, &QPushButton::clicked, this, &FailureBanner::pairsRequested);
    connect(port_, &QPushButton::clicked, this,
            [this] { emit portRequested(qs(report_.port_node), report_.busy_port); });
    connect(copy, &QPushButton::clicked, this, [this] { copy_to_clipboard(report_.whole()); });
    connect(close_, &QPushButton::clicked, this, [this] {
        closed_ = true;
        hide();
        emit dismissed();
    });
    fixes_->hide();
    fold();
    hide();
}

void FailureBanner::set_brief(bool on) {
    if (on != brief_) {
        brief_ = on;
        QMargins margins = layout()->contentsMargins();
        margins.setTop(on ? 3 : 6);
        margins.setBottom(margins.top());
        layout()->setContentsMargins(margins);
        fold();
    }
}

// What the user has chosen for this fault counts.
void FailureBanner::fold() {
    const bool open = unfolded_.value_or(!brief_);
    details_->setVisible(open);
    fold_->setText(open ? tr("&Why ▴") : tr("&Why ▾"));
    fold_->setAccessibleName(open ? tr("Show less") : tr("Why, and what to do"));
    if (open) {
        fit_lines();
        fit_fixes();
    }
}

void FailureBanner::set_report(const FailureReport& report, const LogStore& log) {
    if (report == report_) {
        find_lines(log);
        return;
    }
    closed_ = closed_ && report.key == report_.key && report.kind == report_.kind;
    if (report.key != report_.key) {
        unfolded_.reset();
    }
    const bool other_fixes = report.fixes != report_.fixes;
    const bool other_lines = report.lines != report_.lines;
    report_ = report;
    numbers_.resize(report_.lines.size());  // other colours write the lines at once
    set_style_property(this, "role",
                       report.kind == ReportKind::Over   ? u"notice"_s
                       : report.kind == ReportKind::Slow ? u"warningBanner"_s
                                                         : u"banner"_s);
    title_->setText(report.title);
    if (!text_->hasSelectedText() || other_lines) {  // its age changes every second
        text_->setText(report.text);
    }
    text_->setVisible(!report.text.isEmpty());
    remedy_->setText(report.remedy);
    remedy_->setVisible(!report.remedy.isEmpty());
    lines_->setAccessibleName(report.last_lines ? tr("Last lines of the rank") : tr("Evidence"));
    if (other_lines) {  // else the user may be selecting in them
        opens_ = true;
        forget_log();
        lines_->setVisible(!report.lines.empty());
        lines_->setAccessibleName(report.last_lines ? tr("Last lines of the rank") : tr("What shows it"));
        fit_lines();
        place_lines();
    }
    find_lines(log);
    if (other_fixes) {
        fill_fixes(report.fixes);
    }
    node_->setText(tr("Ran&ks of %1").arg(short_name(report.node)));
    node_->setVisible(report.rank < 0 && !report.node.empty());
    pairs_->setVisible(!report.pairs.empty() || report.inspected);
    log_->setText(tr("&Log of rank %1").arg(report.rank));
    log_->setVisible(report.rank >= 0);
    port_->setText(tr("&Who holds port %1…").arg(report.busy_port));
    port_->setVisible(report.busy_port > 0);
    setAccessibleName(report.title);
    fold();
    setVisible(!report.title.isEmpty() && !closed_);
}

void FailureBanner::set_verdict(const Verdict& verdict, bool main) {
    of_files_ = true;
    FailureReport report = report_of(verdict);
    report.kind = main ? ReportKind::Live : ReportKind::Over;
    set_report(report, {});
    for (QPushButton* button : {log_, node_, pairs_, port_, close_, fold_}) {
        button->hide();
    }
}

void FailureBanner::forget_log() {
    numbers_.assign(report_.lines.size(), 0);
    searched_ = 0;
    write_lines();
}

// A line may arrive after the verdict that quotes it.
void FailureBanner::find_lines(const LogStore& log) {
    if (log.last_number() == searched_) {
        return;
    }
    const std::uint64_t before = std::exchange(searched_, log.last_number());
    bool found = false;
    for (std::size_t i = 0; i < report_.lines.size(); ++i) {
        const ReportLine& line = report_.lines[i];
        if (numbers_[i] != 0 || line.rank < 0 || (line.line == 0 && line.raw.empty())) {
            continue;
        }
        if (const auto at = log.find_output(line.rank, line.raw, std::uint64_t(line.line), before)) {
            numbers_[i] = at->number;
            found = true;
        }
    }
    if (found) {
        write_lines();
    }
}

void FailureBanner::write_lines() {
    const int scrolled = lines_->verticalScrollBar()->value();
    const ThemeColors colors = theme_colors(palette());
    QTextCharFormat plain;
    plain.setForeground(colors.text);
    lines_->clear();
    QTextCursor cursor(lines_->document());
    cursor.beginEditBlock();
    for (std::size_t i = 0; i < report_.lines.size(); ++i) {
        if (i > 0) {
            cursor.insertBlock();
        }
        QTextCharFormat format = plain;
        const bool is_link = of_files_ ? report_.lines[i].line > 0 : numbers_[i] != 0;
        if (is_link) {
            format.setAnchor(true);
            format.setAnchorHref(QString::number(i));
            format.setForeground(colors.accent);
            format.setFontUnderline(true);
            format.setToolTip(tr("Show this line in the log"));
        }
        cursor.insertText(report_.lines[i].text, format);
    }
    cursor.endEditBlock();
    // The view's own cursor follows what is inserted, and the view its cursor.
    lines_->moveCursor(report_.last_lines ? QTextCursor::End : QTextCursor::Start);
    lines_->moveCursor(QTextCursor::StartOfLine);
    lines_->verticalScrollBar()->setValue(scrolled);
}

// Evidence begins with what says most; of the last lines of a rank the end does.
void FailureBanner::place_lines() {
    if (opens_) {
        QScrollBar* bar = lines_->verticalScrollBar();
        bar->setValue(report_.last_lines ? bar->maximum() : 0);
    }
}

void FailureBanner::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !report_.lines.empty()) {
        write_lines();
    }
}

void FailureBanner::fill_fixes(const std::vector<Fix>& fixes) {
    while (QLayoutItem* item = fix_rows_->takeAt(0)) {
        item->widget()->hide();  // its button may be what is being clicked
        item->widget()->deleteLater();
        delete item;
    }
    for (const Fix& fix : fixes) {
        auto* row = new FixRow(fix, runner_, fix_rows_->parentWidget());
        connect(row, &FixRow::jobRequested, this, &FailureBanner::jobRequested);
        connect(row, &FixRow::startRequested, this, &FailureBanner::startRequested);
        row->offer_start(report_.inspected);
        fix_rows_->addWidget(row);
    }
    fixes_->setVisible(!fixes.empty());
    fit_fixes();
}

// As high as its rows are when they are wrapped, up to some lines.
void FailureBanner::fit_fixes() {
    const int wanted = fix_rows_->totalHeightForWidth(std::max(fixes_->width() - kBarWidth, 200));
    fixes_->setFixedHeight(std::clamp(wanted, 1, text_height(font(), kFixLines)));
}

void FailureBanner::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    QMetaObject::invokeMethod(this, &FailureBanner::fit_fixes, Qt::QueuedConnection);
}

void FailureBanner::show_again() {
    closed_ = false;
    unfolded_ = true;
    fold();
    setVisible(!report_.title.isEmpty());
    fit_lines();
}

// As high as its lines are when they are wrapped, up to a few.
void FailureBanner::fit_lines() {
    const double margins = 2 * lines_->document()->documentMargin();
    const double most = text_height(lines_->font(), kShownLines) + margins;
    const double wanted = std::min(lines_->document()->size().height(), most);
    lines_->setFixedHeight(int(std::ceil(wanted)) + 2 * lines_->frameWidth() + 2);
    QMetaObject::invokeMethod(this, &FailureBanner::place_lines, Qt::QueuedConnection);
}

bool FailureBanner::eventFilter(QObject* object, QEvent* event) {
    // How the lines wrap is known once they have their width.
    if (object == lines_->viewport() && event->type() == QEvent::Resize) {
        QMetaObject::invokeMethod(this, &FailureBanner::fit_lines, Qt::QueuedConnection);
    } else if (object == lines_->viewport() && event->type() == QEvent::MouseButtonPress) {
        opens_ = false;
    }
    return QFrame::eventFilter(object, event);
}

}  // namespace rankscope::gui
