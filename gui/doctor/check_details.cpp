// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/doctor/check_details.h>
#include <gui/doctor/fix_row.h>
#include <gui/models/checks_model.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/text_height.h>

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr std::size_t kNamedPairs = 6;
constexpr int kEvidenceLines = 7;

QString pairs_text(const std::vector<NodePair>& pairs) {
    QStringList shown;
    for (const NodePair& pair : pairs) {
        if (std::size_t(shown.size()) == kNamedPairs) {
            break;
        }
        shown += QString(short_name(pair.from) % u" → "_s % short_name(pair.to));
    }
    const QString list = shown.join(u", "_s);
    const int more = int(pairs.size()) - int(shown.size());
    return more > 0 ? CheckDetails::tr("%1 and %2 more").arg(list).arg(more) : list;
}

}  // namespace

CheckDetails::CheckDetails(FixRunner* runner, QWidget* parent) : QFrame(parent), runner_(runner) {
    setObjectName(u"checkDetails"_s);
    setProperty("role", u"card"_s);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(1, 1, 1, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    outer->addWidget(scroll);
    auto* inside = new QWidget(scroll);
    inside->setAutoFillBackground(true);
    inside->setBackgroundRole(QPalette::Base);
    scroll->setWidget(inside);
    auto* layout = new QVBoxLayout(inside);
    layout->setContentsMargins(12, 10, 12, 10);
    layout->setSpacing(6);
    title_ = make_label({}, inside);
    title_->setObjectName(u"checkTitle"_s);
    QFont bold = title_->font();
    bold.setBold(true);
    title_->setFont(bold);
    about_ = make_label({}, inside, "muted");
    about_->setObjectName(u"checkAbout"_s);
    for (QLabel* label : {title_, about_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        layout->addWidget(label);
    }
    evidence_ = new QPlainTextEdit(inside);
    evidence_->setObjectName(u"checkEvidence"_s);
    evidence_->setAccessibleName(tr("Evidence"));
    evidence_->setReadOnly(true);
    evidence_->setTabChangesFocus(true);
    evidence_->viewport()->installEventFilter(this);
    evidence_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    layout->addWidget(evidence_);
    fixes_ = new QWidget(inside);
    auto* fixes = new QVBoxLayout(fixes_);
    fixes->setContentsMargins(0, 4, 0, 0);
    fixes->setSpacing(6);
    auto* head = new QHBoxLayout;
    fixes_title_ = make_label({}, fixes_, "sectionTitle");
    apply_all_ = make_button({}, "applyAll", fixes_);
    recheck_ = make_button(tr("Re-chec&k"), "recheck", fixes_);
    recheck_->setToolTip(tr("Runs the preflight again"));
    head->addWidget(fixes_title_, 1);
    head->addWidget(apply_all_);
    head->addWidget(recheck_);
    fixes->addLayout(head);
    rows_ = new QVBoxLayout;
    rows_->setSpacing(4);
    fixes->addLayout(rows_);
    layout->addWidget(fixes_);
    layout->addStretch();
    connect(recheck_, &QPushButton::clicked, this, &CheckDetails::recheckRequested);
    connect(apply_all_, &QPushButton::clicked, this, [this] { ask_to_apply(check_.fixes, runner_, this); });
    connect(runner_, &FixRunner::changed, this, &CheckDetails::show_apply_all);
    set_check(nullptr);
}

void CheckDetails::set_check(const Check* check) {
    if (check != nullptr && any_ && *check == check_) {
        return;
    }
    any_ = check != nullptr;
    check_ = any_ ? *check : Check{};
    QStringList about;
    if (any_) {
        about += check_.id.empty()
                     ? check_status_text(check_.status)
                     : QString(check_status_text(check_.status) % u" · "_s % qs(check_.id.str()));
        if (!check_.pairs.empty()) {
            about += pairs_text(check_.pairs);
        } else if (!check_.nodes.empty()) {
            about += names_text(check_.nodes, 8);
        }
    }
    title_->setText(any_ ? qs(check_.detail) : tr("Choose a check to see what it found."));
    about_->setText(about.join(u" · "_s));
    about_->setVisible(any_);
    QStringList lines;
    for (const std::string& line : check_.evidence) {
        lines += qs(line);
    }
    evidence_->setPlainText(lines.join(u'\n'));
    evidence_->setVisible(!lines.isEmpty());
    fit_evidence();
    fill_fixes(check_);
}

// As high as its lines are when they are wrapped, up to a few.
void CheckDetails::fit_evidence() {
    const int lines = std::clamp(int(std::ceil(evidence_->document()->size().height())), 1, kEvidenceLines);
    evidence_->setFixedHeight(text_height(evidence_->font(), lines) +
                              2 * int(evidence_->document()->documentMargin()) + 2 * evidence_->frameWidth() +
                              2);
}

bool CheckDetails::eventFilter(QObject* object, QEvent* event) {
    // How the lines wrap is known once they have their width.
    if (object == evidence_->viewport() && event->type() == QEvent::Resize) {
        QMetaObject::invokeMethod(this, &CheckDetails::fit_evidence, Qt::QueuedConnection);
    }
    return QFrame::eventFilter(object, event);
}

void CheckDetails::fill_fixes(const Check& check) {
    while (QLayoutItem* item = rows_->takeAt(0)) {
        item->widget()->hide();  // its button may be what is being clicked
        item->widget()->deleteLater();
        delete item;
    }
    for (const Fix& fix : check.fixes) {
        auto* row = new FixRow(fix, runner_, fixes_);
        connect(row, &FixRow::jobRequested, this, &CheckDetails::jobRequested);
        rows_->addWidget(row);
    }
    if (check.fixes.empty() && !check.remedy.empty()) {
        auto* remedy = make_label(qs(check.remedy), fixes_);
        remedy->setObjectName(u"checkRemedy"_s);
        remedy->setWordWrap(true);
        remedy->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        rows_->addWidget(remedy);
    }
    const bool faulty = check.status == CheckStatus::Fail || check.status == CheckStatus::Warn;
    fixes_->setVisible(any_ && faulty);
    fixes_title_->setText(check.fixes.size() > 1  ? tr("Fixes")
                          : !check.fixes.empty()  ? tr("Fix")
                          : !check.remedy.empty() ? tr("What to do")
                                                  : tr("The evidence above says what is known."));
    show_apply_all();
}

void CheckDetails::show_apply_all() {
    const auto commands = std::count_if(check_.fixes.begin(), check_.fixes.end(), [this](const Fix& fix) {
        return !fix.command.empty() && runner_->entry(fix).state == FixState::Open;
    });
    apply_all_->setVisible(commands > 1);
    apply_all_->setText(tr("Apply all %1…").arg(commands));
}

}  // namespace rankscope::gui
