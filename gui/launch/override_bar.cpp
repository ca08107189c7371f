// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/override_bar.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/clear_button.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/jobs/config/distribuuuu_job.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

namespace {

/// The words of a line as a shell would split it.
Result<std::vector<std::string>> words_of(const std::string& line) {
    const ShellText shell = split_shell_text(line);
    if (!shell.problem.empty()) {
        return Failure{.code = "bad-line", .what = shell.problem};
    }
    if (shell.commands.size() > 1) {
        return Failure{.code = "bad-line",
                       .what = ss(OverrideBar::tr("Put the pairs in one line without ; & and |."))};
    }
    return shell.commands.empty() ? std::vector<std::string>() : shell.commands.front().words;
}

}  // namespace

OverrideBar::OverrideBar(QThreadPool* pool, QWidget* parent) : QWidget(parent), job_(this, pool) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    title_ = make_label({}, this);
    pairs_ = new QLineEdit(this);
    pairs_->setObjectName(u"jobOverrides"_s);
    pairs_->setAccessibleName(tr("KEY VALUE pairs for the configuration of Distribuuuu"));
    pairs_->setPlaceholderText(u"TRAIN.BATCH_SIZE 64 OPTIM.BASE_LR 0.05"_s);
    pairs_->setToolTip(tr("As on the command line of Distribuuuu; Enter makes the job again"));
    add_clear_button(pairs_);
    apply_ = make_button(tr("Appl&y"), "jobOverridesApply", this);
    apply_->setToolTip(
        tr("Makes the job again from the file and these values; Undo brings the one before back"));
    line->addWidget(title_);
    line->addWidget(pairs_, 1);
    line->addWidget(apply_);
    layout->addLayout(line);
    problem_ = make_label({}, this, "fieldError");
    problem_->setObjectName(u"jobOverridesProblem"_s);
    problem_->setWordWrap(true);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    problem_->hide();
    layout->addWidget(problem_);
    connect(pairs_, &QLineEdit::returnPressed, this, &OverrideBar::apply);
    connect(apply_, &QPushButton::clicked, this, &OverrideBar::apply);
    connect(pairs_, &QLineEdit::textEdited, problem_, &QLabel::hide);
    hide();
}

void OverrideBar::set_config(const std::filesystem::path& file, std::string text) {
    file_ = file;
    text_ = std::move(text);
    title_->setText(tr("%1 with").arg(short_name(file.filename().string())));
    title_->setToolTip(plain_text(qs(file.string())));
    pairs_->clear();
    problem_->hide();
    show();
}

void OverrideBar::clear() {
    job_.cancel();
    text_.clear();
    hide();
}

void OverrideBar::apply() {
    job_.start(
        [text = text_, file = file_, line = ss(pairs_->text())](const JobHandle&) -> Result<std::string> {
            const auto words = words_of(line);
            return words ? job_of_distribuuuu(text, file, *words, {}) : Result<std::string>(words.failure());
        },
        [this](const Result<std::string>& job) {
            problem_->setVisible(!job);
            problem_->setText(job ? QString() : qs(job.failure().what));
            if (job) {
                emit made(*job, file_);
            }
        });
}

}  // namespace rankscope::gui
