// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/paste_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/launch_lines/launch_line.h>

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

namespace {

QPlainTextEdit* make_text(const char* object_name, const QString& accessible_name, QWidget* parent) {
    auto* text = new QPlainTextEdit(parent);
    text->setObjectName(QString::fromLatin1(object_name));
    text->setAccessibleName(accessible_name);
    text->setTabChangesFocus(true);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    return text;
}

}  // namespace

PasteDialog::PasteDialog(Inventory inventory, std::vector<std::string> chosen, QWidget* parent)
    : QDialog(parent), inventory_(std::move(inventory)), chosen_(std::move(chosen)) {
    setObjectName(u"pasteDialog"_s);
    setWindowTitle(tr("From a command line"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(8);
    auto* title =
        make_label(tr("&Command line of torchrun, srun, deepspeed, accelerate, horovodrun, mpirun or Paddle"),
                   this, "sectionTitle");
    line_ = make_text("pasteLine", tr("Command line"), this);
    line_->setPlaceholderText(u"torchrun --nnodes=2 --nproc-per-node=4 train.py --lr 0.1"_s);
    title->setBuddy(line_);
    layout->addWidget(title);
    layout->addWidget(line_, 2);
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "pasteFault", this);
    layout->addWidget(fault_);
    layout->addWidget(make_label(tr("The job it makes"), this, "sectionTitle"));
    result_ = make_text("pasteResult", tr("The job it makes"), this);
    result_->setReadOnly(true);
    result_->setLineWrapMode(QPlainTextEdit::NoWrap);
    layout->addWidget(result_, 3);
    notes_ = make_label({}, this, "muted");
    notes_->setObjectName(u"pasteNotes"_s);
    notes_->setWordWrap(true);
    layout->addWidget(notes_);
    auto* buttons = new QDialogButtonBox(this);
    ok_ = buttons->addButton(tr("&Use"), QDialogButtonBox::AcceptRole);
    ok_->setObjectName(u"pasteOk"_s);
    ok_->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(line_, &QPlainTextEdit::textChanged, this, &PasteDialog::read);
    resize(720, 560);
    read();
    line_->setFocus();
}

void PasteDialog::read() {
    const std::string text = ss(line_->toPlainText());
    fault_->set_text({});
    notes_->hide();
    result_->clear();
    ok_->setEnabled(false);
    if (line_->toPlainText().trimmed().isEmpty()) {
        return;
    }
    const auto line = read_launch_line(text);
    if (!line) {
        fault_->set_text(qs(line.failure().what), qs(line.failure().remedy));
        return;
    }
    // The nodes chosen in the form stand for a line that names none and asks for as many.
    const bool fits = line->hosts.empty() && (line->nodes == 0 || line->nodes == int(chosen_.size()));
    const auto job = job_from(*line, inventory_, fits ? chosen_ : std::vector<std::string>());
    if (!job) {
        fault_->set_text(
            qs(job.failure().what),
            job.failure().code == "which-nodes"
                ? tr("Choose %n node(s) in Launch first, then paste the line again.", nullptr, line->nodes)
                : qs(job.failure().remedy));
        return;
    }
    job_ = *job;
    result_->setPlainText(qs(to_yaml(job_)));
    QStringList notes;
    for (const std::string& note : line->notes) {
        notes += u"• "_s + qs(note);
    }
    notes_->setText(notes.join(u'\n'));
    notes_->setVisible(!notes.isEmpty());
    ok_->setEnabled(true);
}

}  // namespace rankscope::gui
