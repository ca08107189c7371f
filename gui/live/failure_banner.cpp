// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/failure_banner.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QCoreApplication>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kShownLines = 6;

QStringList as_lines(const std::vector<std::string>& texts) {
    QStringList lines;
    for (const std::string& text : texts) {
        lines += qs(displayable(text, LogStore::kMaxLineBytes));
    }
    return lines;
}

void add_diagnoses(const LiveData& data, FailureReport& report) {
    QStringList fixes;
    for (const DiagnosisEvent& diagnosis : data.diagnoses) {
        report.text += (report.text.isEmpty() ? QString() : u"\n"_s) + qs(diagnosis.title);
        if (diagnosis.id == "port-busy") {
            report.busy_port = data.state.plan.master_port;
            report.port_node = data.state.plan.master_node;
        }
        for (const std::string& fix : diagnosis.fix) {
            fixes += qs(fix);
        }
    }
    if (!fixes.isEmpty()) {
        report.remedy = fixes.join(u'\n');
    }
}

}  // namespace

QString FailureReport::whole() const {
    QStringList parts{title};
    for (const QString& part : {text, lines, remedy}) {
        if (!part.isEmpty()) {
            parts += part;
        }
    }
    return parts.join(u'\n');
}

FailureReport failure_report(const LiveData& data) {
    const RunState& state = data.state;
    FailureReport report;
    std::vector<StageState> stages = state.stages;
    if (state.queue) {
        stages.push_back(*state.queue);
    }
    const auto failed =
        std::find_if(stages.begin(), stages.end(), [](const StageState& stage) { return stage.failed; });
    const bool bad_end =
        state.end && (state.end->outcome == Outcome::Failed || state.end->outcome == Outcome::Lost);
    if (state.end && state.end->has_culprit && bad_end) {
        const Culprit& culprit = state.end->culprit;
        report.title = culprit_text(culprit);
        report.rank = culprit.rank;
        report.text = qs(culprit.reason);
        if (!state.end->detail.empty() && !qs(state.end->detail).contains(report.title) &&
            !qs(state.end->detail).contains(report.text)) {
            report.text += (report.text.isEmpty() ? QString() : u"\n"_s) + qs(state.end->detail);
        }
        report.lines = as_lines(culprit.last_lines).join(u'\n');
        if (failed != stages.end() && !failed->detail.empty() && report.text.isEmpty()) {
            report.text = qs(failed->detail);
        }
    } else if (failed != stages.end()) {
        report.title =
            QCoreApplication::translate("FailureBanner", "The run could not start: stage %1 failed")
                .arg(stage_text(failed->name));
        report.text = qs(failed->detail);
        if (state.end && state.end->detail != failed->detail && !state.end->detail.empty()) {
            report.text += u"\n"_s + qs(state.end->detail);
        }
    } else if (bad_end) {
        report.title = state.end->outcome == Outcome::Lost
                           ? QCoreApplication::translate("FailureBanner", "The run was lost")
                           : QCoreApplication::translate("FailureBanner", "The run failed");
        report.text = qs(state.end->detail);
    }
    if (!report.title.isEmpty()) {
        add_diagnoses(data, report);
    }
    return report;
}

FailureBanner::FailureBanner(QWidget* parent) : QFrame(parent) {
    setObjectName(u"failureBanner"_s);
    setProperty("role", u"banner"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 8, 10, 9);
    layout->setSpacing(12);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(5);
    title_ = make_label({}, this);
    title_->setObjectName(u"failureTitle"_s);
    QFont bold = title_->font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.15);
    title_->setFont(bold);
    text_ = make_label({}, this);
    text_->setObjectName(u"failureText"_s);
    lines_ = new QPlainTextEdit(this);
    lines_->setObjectName(u"failureLines"_s);
    lines_->setAccessibleName(tr("Last lines of the rank"));
    lines_->setReadOnly(true);
    lines_->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    lines_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    lines_->setTabChangesFocus(true);
    remedy_ = make_label({}, this);
    remedy_->setObjectName(u"failureRemedy"_s);
    for (QLabel* label : {title_, text_, remedy_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    texts->addWidget(title_);
    texts->addWidget(text_);
    texts->addWidget(lines_);
    texts->addWidget(remedy_);
    layout->addLayout(texts, 1);

    auto* buttons = new QVBoxLayout;
    buttons->setSpacing(6);
    log_ = make_button({}, "failureLog", this);
    auto* copy = make_button(tr("&Copy"), "failureCopy", this);
    auto* close = make_button(tr("Dismiss"), "failureDismiss", this);
    port_ = make_button({}, "failurePort", this);
    for (QPushButton* button : {log_, port_, copy, close}) {
        buttons->addWidget(button);
    }
    buttons->addStretch();
    layout->addLayout(buttons);
    connect(log_, &QPushButton::clicked, this, [this] { emit logRequested(report_.rank); });
    connect(port_, &QPushButton::clicked, this,
            [this] { emit portRequested(qs(report_.port_node), report_.busy_port); });
    connect(copy, &QPushButton::clicked, this, [this] { copy_to_clipboard(report_.whole()); });
    connect(close, &QPushButton::clicked, this, [this] {
        closed_ = true;
        hide();
    });
    hide();
}

void FailureBanner::set_report(const FailureReport& report) {
    if (report == report_) {
        return;
    }
    closed_ = closed_ && report.title == report_.title;
    report_ = report;
    title_->setText(report.title);
    text_->setText(report.text);
    text_->setVisible(!report.text.isEmpty());
    remedy_->setText(report.remedy);
    remedy_->setVisible(!report.remedy.isEmpty());
    lines_->setPlainText(report.lines);
    lines_->setVisible(!report.lines.isEmpty());
    const int shown = std::clamp(int(report.lines.count(u'\n')) + 1, 1, kShownLines);
    lines_->setFixedHeight(shown * lines_->fontMetrics().lineSpacing() +
                           2 * int(lines_->document()->documentMargin()) + 4);
    lines_->moveCursor(QTextCursor::End);
    lines_->moveCursor(QTextCursor::StartOfLine);
    log_->setText(tr("&Log of rank %1").arg(report.rank));
    log_->setVisible(report.rank >= 0);
    port_->setText(tr("&Who holds port %1…").arg(report.busy_port));
    port_->setVisible(report.busy_port > 0);
    setAccessibleName(report.title);
    setVisible(!report.title.isEmpty() && !closed_);
}

}  // namespace rankscope::gui
