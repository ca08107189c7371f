// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <base/shell_quote.h>
#include <gui/fleet/key_dialog.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/quiet_header.h>

#include <sodium/utils.h>

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSysInfo>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

enum KeyColumn { kKeyNode, kKeyKey, kKeyLogin, kKeyColumns };

QString path_of(const QLineEdit* edit) {
    return qs(expand_home(ss(edit->text().trimmed())).string());
}

}  // namespace

KeyDialog::KeyDialog(std::vector<NodeSpec> nodes, Prompter prompter, QWidget* parent)
    : QDialog(parent),
      nodes_(std::move(nodes)),
      prompter_(std::move(prompter)),
      job_(this, QThreadPool::globalInstance()) {
    std::erase_if(nodes_, [](const NodeSpec& node) { return node.local; });
    setObjectName(u"keyDialog"_s);
    setWindowTitle(tr("SSH key"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    auto* hint = make_label(
        tr("With a key on your nodes, no password is needed any more. Rankscope tries the password that you "
           "type now on all ticked nodes, keeps it in memory only, and forgets it afterwards."),
        this);
    hint->setWordWrap(true);
    layout->addWidget(hint);
    form_ = new FieldForm(this);
    make_fields();
    layout->addWidget(form_);
    state_ = make_label({}, this, "muted");
    state_->setObjectName(u"keyState"_s);
    state_->setWordWrap(true);
    state_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(state_);
    make_table();
    layout->addWidget(table_, 1);
    auto* buttons = new QDialogButtonBox(this);
    install_ = buttons->addButton(QString(), QDialogButtonBox::ActionRole);
    install_->setObjectName(u"keyInstall"_s);
    install_->setDefault(true);
    close_ = buttons->addButton(tr("&Close"), QDialogButtonBox::RejectRole);
    close_->setObjectName(u"keyClose"_s);
    layout->addWidget(buttons);
    connect(install_, &QPushButton::clicked, this, &KeyDialog::start);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::finished, this, [this] { job_.cancel(); });
    for (QLineEdit* edit : {file_, passphrase_, again_}) {
        connect(edit, &QLineEdit::textChanged, this, &KeyDialog::check);
    }
    connect(table_, &QTableWidget::itemChanged, this, &KeyDialog::check);
    resize(640, 520);
    check();
}

KeyDialog::~KeyDialog() = default;

void KeyDialog::make_fields() {
    file_ = form_->add_line("file", tr("&Key file"), "keyFile", {},
                            tr("The private key; the public key is beside it"));
    file_->setText(u"~/.ssh/id_ed25519"_s);
    passphrase_ = form_->add_line("passphrase", tr("&Passphrase"), "keyPassphrase", tr("none"),
                                  tr("Of the new key. With one, an SSH agent keeps it unlocked"));
    again_ = form_->add_line("again", tr("&Repeat"), "keyAgain");
    for (QLineEdit* edit : {passphrase_, again_}) {
        edit->setEchoMode(QLineEdit::Password);
    }
}

void KeyDialog::make_table() {
    table_ = new QTableWidget(int(nodes_.size()), kKeyColumns, this);
    table_->setObjectName(u"keyTable"_s);
    table_->setAccessibleName(tr("Nodes"));
    table_->setHorizontalHeader(new QuietHeader(table_));
    table_->setHorizontalHeaderLabels({tr("Node"), tr("Key"), tr("Login with it")});
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->setColumnWidth(kKeyNode, 200);
    table_->setColumnWidth(kKeyKey, 120);
    for (int row = 0; row < table_->rowCount(); ++row) {
        auto* name = new QTableWidgetItem(qs(nodes_[std::size_t(row)].name));
        name->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        name->setCheckState(Qt::Checked);
        table_->setItem(row, kKeyNode, name);
        for (int column = kKeyKey; column < kKeyColumns; ++column) {
            table_->setItem(row, column, new QTableWidgetItem);
        }
    }
}

std::vector<std::size_t> KeyDialog::ticked() const {
    std::vector<std::size_t> rows;
    for (int row = 0; row < table_->rowCount(); ++row) {
        if (table_->item(row, kKeyNode)->checkState() == Qt::Checked) {
            rows.push_back(std::size_t(row));
        }
    }
    return rows;
}

void KeyDialog::check() {
    if (busy()) {
        return;
    }
    const QString path = path_of(file_);
    exists_ = QFileInfo::exists(path % u".pub"_s);
    const bool private_only = !exists_ && QFileInfo::exists(path);
    form_->set_row_visible("passphrase", !exists_);
    form_->set_row_visible("again", !exists_);
    std::map<std::string, QString> errors;
    if (file_->text().trimmed().isEmpty()) {
        errors["file"] = tr("Name a file, for example ~/.ssh/id_ed25519.");
    } else if (private_only) {
        errors["file"] = tr("The key exists, but its public key is missing: `ssh-keygen -y -f %1` prints it.")
                             .arg(qs(copied_word(path.toStdString())));
    }
    if (!exists_ && passphrase_->text() != again_->text()) {
        errors["again"] = tr("The passphrases differ.");
    }
    form_->set_errors(errors);
    const auto count = ticked().size();
    state_->setText(exists_ ? tr("This key exists and will be used.")
                            : tr("This key does not exist yet: Rankscope will create it (ed25519)."));
    install_->setText(
        exists_ ? tr("&Install on %1 nodes").arg(count)
                : (count > 0 ? tr("&Create key, install on %1 nodes").arg(count) : tr("&Create key")));
    install_->setEnabled(errors.empty() && (count > 0 || !exists_));
}

void KeyDialog::install_now() {
    closes_itself_ = true;
    if (install_->isEnabled()) {
        start();
    }
}

void KeyDialog::start() {
    std::vector<NodeSpec> chosen;
    const auto rows = ticked();
    unfinished_ = rows.size();
    for (const std::size_t row : rows) {
        chosen.push_back(nodes_[row]);
        table_->item(int(row), kKeyKey)->setText(tr("…"));
        table_->item(int(row), kKeyLogin)->setText({});
    }
    const std::string file = ss(path_of(file_));
    const std::string comment = ss(qEnvironmentVariable("USER") % u'@' % QSysInfo::machineHostName());
    install_->setEnabled(false);
    install_->setText(tr("Working…"));
    job_.start(
        [=, this, make = !exists_, passphrase = ss(passphrase_->text()),
         ask = prompter_](const JobHandle& handle) mutable {
            Result<KeyPair> key = make ? generate_key(file, comment, passphrase) : read_public_key(file);
            sodium_memzero(passphrase.data(), passphrase.size());
            if (key) {
                const SharedSecret shared(ask);
                install_key_on(chosen, *key, shared.prompter(), handle.stop(),
                               [&](std::size_t i, const KeyInstallation& result) {
                                   // `this` is used on its own thread only: post() drops the call once it is
                                   // gone.
                                   handle.post([this, row = rows[i], result] { show_result(row, result); });
                               });
            }
            return key;
        },
        [this](const Result<KeyPair>& key) { finished(key); });
    passphrase_->clear();
    again_->clear();
}

void KeyDialog::show_result(std::size_t node, const KeyInstallation& result) {
    unfinished_ -= result.verified ? 1 : 0;
    const QSignalBlocker quiet(table_);
    QTableWidgetItem* key = table_->item(int(node), kKeyKey);
    QTableWidgetItem* login = table_->item(int(node), kKeyLogin);
    const bool lies_there = result.verified || (result.failure && result.failure->code == "key-not-accepted");
    key->setText(!lies_there ? tr("not installed") : (result.added ? tr("added") : tr("already there")));
    login->setText(result.verified ? tr("works") : (result.failure ? qs(result.failure->what) : tr("fails")));
    login->setToolTip(result.failure ? plain_text(failure_text(*result.failure)) : QString());
}

void KeyDialog::finished(const Result<KeyPair>& key) {
    check();
    if (!key) {
        state_->setText(failure_text(key.failure()));
        for (int row = 0; row < table_->rowCount(); ++row) {
            table_->item(row, kKeyKey)->setText({});
        }
        return;
    }
    state_->setText(qs(key->fingerprint));
    if (closes_itself_ && unfinished_ == 0) {
        accept();
    }
}

QString KeyDialog::result_text(int row) const {
    return table_->item(row, kKeyKey)->text() % u' ' % table_->item(row, kKeyLogin)->text();
}

}  // namespace rankscope::gui
