// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/failure_banner.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QCoreApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

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

/// Adds a paragraph that says something new: the stage, the end and the diagnosis often bring the same sentence.
void add_text(QString& text, const QString& paragraph) {
    const QString added = paragraph.trimmed();
    if (added.isEmpty() || text.contains(added)) {
        return;
    }
    QStringList kept;
    for (const QString& line : text.split(u'\n', Qt::SkipEmptyParts)) {
        if (!added.contains(line)) {
            kept += line;
        }
    }
    kept += added;
    text = kept.join(u'\n');
}

/// "node1: Port 29500 is held…" without the node in front, when the title or another sentence names it.
QString without_node(const QString& text, const LaunchPlan& plan) {
    for (const NodePlan& node : plan.nodes) {
        const QString prefix = qs(node.node) % u": "_s;
        if (text.startsWith(prefix)) {
            return text.mid(prefix.size());
        }
    }
    return text;
}

void add_diagnoses(const LiveData& run, FailureReport& report) {
    QStringList fixes;
    for (const DiagnosisEvent& diagnosis : run.diagnoses) {
        if (qs(diagnosis.title) != report.title) {
            add_text(report.text, qs(diagnosis.title));
        }
        if (diagnosis.id == "port-in-use") {
            report.busy_port = run.state.plan.master_port;
            report.port_node = run.state.plan.master_node;
        }
        for (const std::string& fix : diagnosis.fix) {
            if (!report.text.contains(qs(fix))) {
                fixes += qs(fix);
            }
        }
    }
    if (!fixes.isEmpty()) {
        report.remedy = fixes.join(u'\n');
    }
}

/// What a failed start says: its own diagnosis as the title where there is one, else the stage.
void describe_failed_start(const LiveData& run, const StageState& stage, FailureReport& report) {
    report.title = run.diagnoses.empty() ? QCoreApplication::translate(
                                               "FailureBanner", "The run could not start: stage %1 failed")
                                               .arg(stage_text(stage.name))
                                         : qs(run.diagnoses.front().title);
    const QString detail = qs(stage.detail);
    const QString end = run.state.end ? qs(run.state.end->detail) : QString();
    for (const QString& sentence : {detail, end}) {
        const QString bare = without_node(sentence, run.state.plan);
        const bool known = !bare.isEmpty() && (report.title.contains(bare) || report.text.contains(bare));
        if (!known) {
            // What follows the title's own sentence is news, the sentence itself is not.
            QString rest = bare;
            rest.remove(report.title);
            add_text(report.text, rest == bare ? sentence : rest);
        }
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

FailureReport failure_report(const LiveData& run) {
    const RunState& state = run.state;
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
        describe_failed_start(run, *failed, report);
    } else if (bad_end) {
        report.title = state.end->outcome == Outcome::Lost
                           ? QCoreApplication::translate("FailureBanner", "The run was lost")
                           : QCoreApplication::translate("FailureBanner", "The run failed");
        report.text = qs(state.end->detail);
    }
    if (!report.title.isEmpty()) {
        add_diagnoses(run, report);
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
    lines_->viewport()->installEventFilter(this);
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
        emit dismissed();
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
    fit_lines();
    lines_->moveCursor(QTextCursor::End);
    lines_->moveCursor(QTextCursor::StartOfLine);
    log_->setText(tr("&Log of rank %1").arg(report.rank));
    log_->setVisible(report.rank >= 0);
    port_->setText(tr("&Who holds port %1…").arg(report.busy_port));
    port_->setVisible(report.busy_port > 0);
    setAccessibleName(report.title);
    setVisible(!report.title.isEmpty() && !closed_);
}

void FailureBanner::show_again() {
    closed_ = false;
    setVisible(!report_.title.isEmpty());
    fit_lines();
}

// As high as its lines are when they are wrapped, up to a few.
void FailureBanner::fit_lines() {
    const int lines = std::clamp(int(std::ceil(lines_->document()->size().height())), 1, kShownLines);
    lines_->setFixedHeight(lines * lines_->fontMetrics().lineSpacing() +
                           2 * int(lines_->document()->documentMargin()) + 2 * lines_->frameWidth() + 2);
}

bool FailureBanner::eventFilter(QObject* object, QEvent* event) {
    // How the lines wrap is known once they have their width.
    if (object == lines_->viewport() && event->type() == QEvent::Resize) {
        QMetaObject::invokeMethod(this, &FailureBanner::fit_lines, Qt::QueuedConnection);
    }
    return QFrame::eventFilter(object, event);
}

}  // namespace rankscope::gui
