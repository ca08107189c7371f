// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/job_text_edit.h>
#include <gui/launch/job_text_pane.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/text_height.h>

#include <QLabel>
#include <QStringDecoder>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kHelpLines = 3;
constexpr int kHelpAfterMs = 100;

}  // namespace

JobTextPane::JobTextPane(QWidget* parent) : QWidget(parent), edit_(new JobTextEdit(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(edit_, 1);
    help_ = make_label({}, this, "muted");
    help_->setObjectName(u"jobTextHelp"_s);
    help_->setWordWrap(true);
    help_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    help_->setFixedHeight(text_height(font(), kHelpLines));
    layout->addWidget(help_);
    help_timer_.setSingleShot(true);
    help_timer_.setInterval(kHelpAfterMs);
    connect(&help_timer_, &QTimer::timeout, this, &JobTextPane::show_help);
    connect(edit_, &JobTextEdit::cursorPositionChanged, &help_timer_, qOverload<>(&QTimer::start));
    connect(edit_, &JobTextEdit::textEdited, this, &JobTextPane::textEdited);
    show_help();
}

void JobTextPane::set_text(const std::string& text) {
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::ConvertInitialBom);
    QString shown = decoder(QByteArrayView(text.data(), qsizetype(text.size())));
    edit_->setReadOnly(decoder.hasError());
    crlf_ = shown.contains(u"\r\n"_s);
    edit_->set_text(shown.replace(u"\r\n"_s, u"\n"_s));
    help_timer_.start();
}

std::string JobTextPane::text() const {
    QString text = edit_->text();
    return ss(crlf_ ? text.replace(u'\n', u"\r\n"_s) : text);
}

void JobTextPane::set_faults(const config::ConfigProblems& faults) {
    std::vector<TextMark> marks;
    for (const config::ConfigProblem& fault : faults) {
        const QString what = qs(to_sentence(fault));
        marks.push_back({std::max(fault.line, 1),
                         fault.path.empty() ? what : QString(qs(fault.path) % u": "_s % what), true});
    }
    edit_->set_marks(std::move(marks));
    help_timer_.start();
}

void JobTextPane::show_help() {
    const QString help = edit_->help_at(edit_->textCursor().position());
    help_->setText(help.isEmpty() ? tr("Ctrl+Space: the keys and values that may stand here.") : help);
    help_->setToolTip(plain_text(help));
}

}  // namespace rankscope::gui
