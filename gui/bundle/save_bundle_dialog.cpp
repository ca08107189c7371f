// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/bundle/bundle_file.h>
#include <gui/bundle/save_bundle_dialog.h>
#include <gui/data/log_store.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/archive/failure_bundle/bundle_draft.h>

#include <QCheckBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kTicks = 1000;  ///< of the progress bar
constexpr qsizetype kTitleName = 60;

QString first_folder() {
    const QString last = QSettings().value(u"bundleFolder"_s).toString();
    return !last.isEmpty() && QFileInfo(last).isDir() ? last : QDir::homePath();
}

QString short_title(const QString& name) {
    return name.size() <= kTitleName ? name : QString(name.left(kTitleName) % u'…');
}

constexpr std::size_t kLongest = 400;  ///< bytes of a text: names come from logs
constexpr int kWidest = 260;           ///< of a column
constexpr int kRoom = 16;

QTableWidget* make_table(const char* object_name, const QString& name, const QStringList& titles,
                         QWidget* parent) {
    auto* table = new QTableWidget(0, int(titles.size()), parent);
    tune_table(table, object_name, name);
    table->setHorizontalHeaderLabels(titles);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return table;
}

void put(QTableWidget* table, int row, int column, const std::string& text) {
    const QString shown = qs(displayable(text, kLongest));
    auto* item = new QTableWidgetItem(shown);
    item->setToolTip(wrapped_tip(shown));
    table->setItem(row, column, item);
}

void fit_columns(QTableWidget* table) {
    table->resizeColumnsToContents();
    for (int column = 0; column + 1 < table->columnCount(); ++column) {
        table->setColumnWidth(column, std::min(table->columnWidth(column) + kRoom, kWidest));
    }
}

/// The files of a bundle: name, size, what they are.
QTableWidget* make_parts_table(QWidget* parent) {
    return make_table(
        "bundleParts", SaveBundleDialog::tr("Files of the bundle"),
        {SaveBundleDialog::tr("File"), SaveBundleDialog::tr("Size"), SaveBundleDialog::tr("Content")},
        parent);
}

void fill_parts(QTableWidget* table, const std::vector<BundlePart>& parts) {
    table->setRowCount(int(parts.size()));
    for (int row = 0; row < table->rowCount(); ++row) {
        const BundlePart& part = parts[std::size_t(row)];
        put(table, row, 0, part.name);
        put(table, row, 1, ss(bytes_text(part.bytes)));
        table->item(row, 1)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        put(table, row, 2, part.what);
    }
    fit_columns(table);
}

/// What is replaced in a bundle: what, where, how often, why.
QTableWidget* make_redactions_table(QWidget* parent) {
    return make_table("bundleRedactions", SaveBundleDialog::tr("What is replaced"),
                      {SaveBundleDialog::tr("What"), SaveBundleDialog::tr("Where"),
                       SaveBundleDialog::tr("Times"), SaveBundleDialog::tr("Why")},
                      parent);
}

void fill_redactions(QTableWidget* table, const std::vector<Redaction>& redactions) {
    table->setRowCount(int(redactions.size()));
    for (int row = 0; row < table->rowCount(); ++row) {
        const Redaction& redaction = redactions[std::size_t(row)];
        put(table, row, 0, redaction.what);
        put(table, row, 1, redaction.where);
        put(table, row, 2, std::to_string(redaction.times));
        table->item(row, 2)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        put(table, row, 3, redaction.why);
    }
    fit_columns(table);
}

}  // namespace

SaveBundleDialog::SaveBundleDialog(std::shared_ptr<RunStore> store, std::string run_id,
                                   const QString& run_name, QThreadPool* pool, QWidget* parent)
    : QDialog(parent), store_(std::move(store)), run_id_(std::move(run_id)), job_(this, pool) {
    setObjectName(u"saveBundleDialog"_s);
    setWindowTitle(tr("Save failure bundle of %1").arg(short_title(run_name)));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(8);
    auto* hint = make_label(tr("One file with everything that Rankscope knows of this run. It opens in "
                               "another Rankscope like a stored run. Check it before you send it."),
                            this);
    hint->setWordWrap(true);
    layout->addWidget(hint);
    so_far_ = new NoticeBar(NoticeBar::Kind::News, "bundleSoFar", this);
    layout->addWidget(so_far_);
    parts_title_ = make_label({}, this);
    parts_title_->setObjectName(u"bundlePartsTitle"_s);
    layout->addWidget(parts_title_);
    parts_ = make_parts_table(this);
    layout->addWidget(parts_, 5);
    redactions_title_ = make_label({}, this);
    redactions_title_->setObjectName(u"bundleRedactionsTitle"_s);
    redactions_title_->setWordWrap(true);
    layout->addWidget(redactions_title_);
    redactions_ = make_redactions_table(this);
    layout->addWidget(redactions_, 3);
    hide_users_ = new QCheckBox(tr("Replace names of &users, too"), this);
    hide_users_->setObjectName(u"bundleHideUsers"_s);
    hide_users_->setToolTip(tr("In paths of home folders, and before @"));
    layout->addWidget(hide_users_);
    file_row_ = make_file_row();
    layout->addWidget(file_row_);
    problem_ = make_label({}, this, "fieldError");
    problem_->setObjectName(u"bundleProblem"_s);
    what_ = make_label({}, this);
    what_->setObjectName(u"bundleWhat"_s);
    for (QLabel* label : {problem_, what_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        layout->addWidget(label);
    }
    bar_ = new QProgressBar(this);
    bar_->setObjectName(u"bundleProgress"_s);
    bar_->setAccessibleName(tr("Progress"));
    bar_->setTextVisible(false);
    layout->addWidget(bar_);
    auto* buttons = new QDialogButtonBox(this);
    save_ = buttons->addButton(tr("&Save"), QDialogButtonBox::ActionRole);
    save_->setObjectName(u"bundleSave"_s);
    save_->setDefault(true);
    cancel_ = buttons->addButton(QDialogButtonBox::Cancel);
    cancel_->setObjectName(u"bundleCancel"_s);
    cancel_->setAutoDefault(false);
    layout->addWidget(buttons);
    connect(save_, &QPushButton::clicked, this, [this] { save(false); });
    connect(buttons, &QDialogButtonBox::rejected, this, &SaveBundleDialog::reject);
    connect(hide_users_, &QCheckBox::toggled, this, &SaveBundleDialog::make_draft);
    resize(860, 690);
    make_draft();
}

SaveBundleDialog::~SaveBundleDialog() {
    stop_write_.request_stop();
}

QWidget* SaveBundleDialog::make_file_row() {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* label = make_label(tr("&File"), row);
    file_ = new QLineEdit(row);
    file_->setObjectName(u"bundleFile"_s);
    file_->setText(QDir(first_folder()).filePath(qs(run_id_) + bundle_suffix()));
    label->setBuddy(file_);
    auto* choose = make_button(tr("C&hoose…"), "bundleChoose", row);
    choose->setAutoDefault(false);
    layout->addWidget(label);
    layout->addWidget(file_, 1);
    layout->addWidget(choose);
    connect(choose, &QPushButton::clicked, this, &SaveBundleDialog::choose_file);
    connect(file_, &QLineEdit::textChanged, this, [this] { problem_->setText({}); });
    return row;
}

void SaveBundleDialog::make_draft() {
    draft_.reset();
    set_state(State::Reading);
    using Made = Result<std::shared_ptr<Draft>>;
    BundleOptions options;
    options.hide_users = hide_users_->isChecked();
    options.program = "rankscope " + ss(QCoreApplication::applicationVersion());
    job_.start(
        [this, store = store_, id = run_id_, options](const JobHandle& job) -> Made {
            const auto progress = [&](std::uint64_t done, std::uint64_t total) {
                job.post([this, done, total] { show_progress(done, total); });
            };
            auto bundle = BundleDraft::make(*store, id, options, progress, job.stop());
            if (!bundle) {
                return bundle.failure();
            }
            return std::make_shared<Draft>(Draft{store, std::move(*bundle)});
        },
        [this](Made made) {
            if (!made) {
                set_state(State::NotReadable);
                problem_->setText(failure_text(made.failure()));
                return;
            }
            draft_ = std::move(*made);
            show_draft();
            set_state(State::Ready);
            save_->setFocus();
        });
}

void SaveBundleDialog::show_draft() {
    const BundleDraft& bundle = draft_->bundle;
    so_far_->set_text(bundle.run().outcome == Outcome::Running
                          ? tr("The run has not ended: the file gets what is stored so far.")
                          : QString());
    std::uint64_t bytes = 0;
    for (const BundlePart& part : bundle.parts()) {
        bytes += part.bytes;
    }
    parts_title_->setText(tr("Content: %1 before compression").arg(bytes_text(bytes)));
    fill_parts(parts_, bundle.parts());
    std::uint64_t times = 0;
    for (const Redaction& redaction : bundle.redactions()) {
        times += redaction.times;
    }
    const QString check = tr("Only known shapes are found: read the output of the ranks before you send it.");
    redactions_title_->setText(
        times == 0 ? tr("No secrets were found. %1").arg(check)
                   : tr("Replaced by %1: %2 places. %3").arg(qs(kRedacted)).arg(times).arg(check));
    fill_redactions(redactions_, bundle.redactions());
    redactions_->setVisible(times > 0);
}

void SaveBundleDialog::choose_file() {
    auto* dialog = new QFileDialog(this, tr("Save failure bundle"));
    dialog->setObjectName(u"bundleFileDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite);  // Save asks, whoever wrote the name
    dialog->setNameFilters({bundle_filter(), tr("All files (*)")});
    dialog->setDefaultSuffix(bundle_suffix().mid(1));
    dialog->selectFile(qs(file()));
    connect(dialog, &QFileDialog::fileSelected, file_, &QLineEdit::setText);
    dialog->open();
}

std::string SaveBundleDialog::file() const {
    QString text = file_->text().trimmed();
    if (text == u"~"_s || text.startsWith(u"~/"_s)) {
        text.replace(0, 1, QDir::homePath());
    }
    return text.isEmpty() ? std::string() : ss(QDir::home().absoluteFilePath(text));
}

void SaveBundleDialog::save(bool replace) {
    if (state_ != State::Ready) {
        return;
    }
    if (file().empty()) {
        problem_->setText(tr("Choose a file."));
        file_->setFocus();
        return;
    }
    set_state(State::Writing);
    stop_write_ = {};
    job_.start(
        [this, draft = draft_, path = std::filesystem::path(file()), replace,
         stop = stop_write_.get_token()](const JobHandle& job) mutable {
            std::error_code error;
            if (std::filesystem::is_directory(path, error)) {
                path /= draft->bundle.run().run_id + ss(bundle_suffix());
            }
            const auto progress = [&](std::uint64_t done, std::uint64_t total) {
                job.post([this, done, total] { show_progress(done, total); });
            };
            Written written{draft->bundle.write(path, replace, progress, stop), path.string(), 0};
            const auto bytes = std::filesystem::file_size(path, error);
            written.bytes = error ? 0 : bytes;
            return written;
        },
        [this, replace](const Written& written) { show_written(written, replace); });
}

void SaveBundleDialog::show_written(const Written& written, bool replace) {
    if (written.result) {
        QSettings().setValue(u"bundleFolder"_s, QFileInfo(qs(written.file)).absolutePath());
        set_state(State::Saved);
        what_->setText(tr("Saved: %1 (%2). Only your user can read it: change that if you share the file in "
                          "place.")
                           .arg(qs(written.file), bytes_text(written.bytes)));
        return;
    }
    set_state(State::Ready);
    const Failure& failure = written.result.failure();
    if (failure.code == "file-exists" && !replace) {
        ask_replace(written.file);
    } else if (failure.code == "cancelled") {
        what_->setText(tr("Cancelled: nothing was written."));
    } else {
        problem_->setText(failure_text(failure));
    }
}

void SaveBundleDialog::ask_replace(const std::string& file) {
    const QFileInfo info(qs(file));
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("Replace file"),
                        plain_text(tr("Replace %1?").arg(info.fileName())), QMessageBox::NoButton, this);
    box->setObjectName(u"bundleReplaceDialog"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        plain_text(tr("A file with this name is in %1. Its content is lost when it is replaced.")
                       .arg(info.absolutePath())));
    QPushButton* yes = box->addButton(tr("&Replace"), QMessageBox::DestructiveRole);
    yes->setObjectName(u"bundleReplace"_s);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(box, &QMessageBox::finished, this, [this, box, yes] {
        if (box->clickedButton() == yes) {
            save(true);
        }
    });
    box->open();
}

void SaveBundleDialog::show_progress(std::uint64_t done, std::uint64_t total) {
    if (state_ == State::Reading && done < last_done_) {
        what_->setText(tr("Checking once more what is replaced…"));
    }
    last_done_ = done;
    bar_->setRange(0, total > 0 ? kTicks : 0);
    bar_->setValue(total > 0 ? int(double(kTicks) * double(done) / double(total)) : 0);
}

void SaveBundleDialog::set_state(State state) {
    state_ = state;
    const bool busy = state == State::Reading || state == State::Writing;
    bar_->setVisible(busy);
    bar_->setRange(0, 0);
    last_done_ = 0;
    problem_->setText({});
    what_->setText(state == State::Reading   ? tr("Reading the run: looking for secrets…")
                   : state == State::Writing ? tr("Writing %1…").arg(qs(file()))
                                             : QString());
    if (!draft_) {
        parts_title_->setText(tr("Content"));
        redactions_title_->setText(tr("What is replaced"));
        parts_->setRowCount(0);
        redactions_->setRowCount(0);
    }
    hide_users_->setEnabled(state == State::Ready || state == State::Reading);
    file_row_->setEnabled(state == State::Ready || state == State::Reading);
    save_->setVisible(state != State::Saved);
    save_->setEnabled(state == State::Ready);
    cancel_->setEnabled(true);
    cancel_->setText(busy || state == State::Ready ? tr("Cancel") : tr("Close"));
    cancel_->setDefault(state == State::Saved || state == State::NotReadable);
}

void SaveBundleDialog::reject() {
    if (state_ != State::Writing) {
        QDialog::reject();
        return;
    }
    // The result says whether the file was complete before the stop arrived.
    stop_write_.request_stop();
    cancel_->setEnabled(false);
    what_->setText(tr("Cancelling…"));
}

}  // namespace rankscope::gui
