// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <gui/fleet/import_dialog.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/quiet_header.h>
#include <remote/desk/nodes/inventory/found_nodes.h>

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rankscope::gui {

namespace {

enum Column { kName, kHost, kPort, kUser, kLine, kNote, kColumns };

QString format_text(ImportFormat format) {
    switch (format) {
        case ImportFormat::SshConfig:
            return ImportDialog::tr("an ssh_config");
        case ImportFormat::DeepSpeed:
            return ImportDialog::tr("a DeepSpeed hostfile");
        default:
            return ImportDialog::tr("a list of hosts");
    }
}

}  // namespace

ImportDialog::ImportDialog(Inventory inventory, QWidget* parent)
    : QDialog(parent),
      inventory_(std::move(inventory)),
      soon_(new QTimer(this)),
      file_job_(this, QThreadPool::globalInstance()),
      read_job_(this, QThreadPool::globalInstance()),
      find_job_(this, QThreadPool::globalInstance()) {
    setObjectName(u"importDialog"_s);
    setWindowTitle(tr("Import nodes"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    auto* head = new QHBoxLayout;
    auto* hint = make_label(
        tr("&Paste nodes, one per line: a name, an address, user@host:port, lines of a hosts file, "
           "of a DeepSpeed hostfile or of an ssh_config."),
        this);
    hint->setWordWrap(true);
    head->addWidget(hint, 1);
    auto* config = make_button(tr("From ~/.ssh/&config"), "importConfig", this);
    auto* file = make_button(tr("Choose &file…"), "importFile", this);
    config->setAutoDefault(false);
    file->setAutoDefault(false);
    head->addWidget(config, 0, Qt::AlignTop);
    head->addWidget(file, 0, Qt::AlignTop);
    layout->addLayout(head);

    text_ = new QPlainTextEdit(this);
    text_->setObjectName(u"importText"_s);
    text_->setAccessibleName(tr("List of nodes"));
    text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text_->setPlaceholderText(u"gpu1\ntrainer@10.0.0.12:2222\n10.0.0.13 gpu3\nnode[04-16]"_s);
    text_->setTabChangesFocus(true);
    hint->setBuddy(text_);
    layout->addWidget(text_, 2);

    found_ = make_label({}, this, "muted");
    found_->setObjectName(u"importFound"_s);
    layout->addWidget(found_);
    table_ = new QTableWidget(0, kColumns, this);
    table_->setObjectName(u"importTable"_s);
    table_->setAccessibleName(tr("Parsed lines"));
    table_->setHorizontalHeader(new QuietHeader(table_));
    table_->setHorizontalHeaderLabels(
        {tr("Name"), tr("Host"), tr("Port"), tr("User"), tr("Line"), tr("Remark")});
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->setWordWrap(false);
    layout->addWidget(table_, 3);

    problems_ = make_label({}, this, "fieldError");
    problems_->setObjectName(u"importProblems"_s);
    problems_->setWordWrap(true);
    problems_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(problems_);

    auto* buttons = new QDialogButtonBox(this);
    add_ = buttons->addButton(tr("&Add"), QDialogButtonBox::AcceptRole);
    add_->setObjectName(u"importAdd"_s);
    add_->setDefault(true);
    ready_ = buttons->addButton(tr("Add and set &up…"), QDialogButtonBox::ActionRole);
    ready_->setObjectName(u"importSetUp"_s);
    ready_->setToolTip(
        tr("Adds the nodes, installs your SSH key there (the password is asked for once), looks at what they "
           "have, and opens a first "
           "training on all of them"));
    connect(ready_, &QPushButton::clicked, this, [this] {
        set_up_ = true;
        accept();
    });
    buttons->addButton(QDialogButtonBox::Cancel);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    soon_->setSingleShot(true);
    soon_->setInterval(150);
    connect(soon_, &QTimer::timeout, this, &ImportDialog::read_text);
    connect(text_, &QPlainTextEdit::textChanged, soon_, qOverload<>(&QTimer::start));
    connect(table_, &QTableWidget::itemChanged, this, &ImportDialog::update_button);
    connect(config, &QPushButton::clicked, this, [this] { load(QDir::homePath() + u"/.ssh/config"_s); });
    connect(file, &QPushButton::clicked, this, &ImportDialog::choose_file);
    resize(820, 560);
    show_import();
    find_job_.start(
        [inventory = inventory_](const JobHandle& handle) { return find_nodes(inventory, handle.stop()); },
        [this](NodeImport known) {
            known_ = std::move(known);
            if (!pasted_) {
                import_ = known_;
                show_import();
            }
        });
    text_->setFocus();
}

ImportDialog::~ImportDialog() = default;

void ImportDialog::choose_file() {
    auto* dialog = new QFileDialog(this, tr("A list of nodes"), QDir::homePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setFilter(QDir::Files | QDir::Hidden | QDir::AllDirs | QDir::NoDotAndDotDot);
    connect(dialog, &QFileDialog::fileSelected, this, &ImportDialog::load);
    dialog->open();
}

void ImportDialog::load(const QString& path) {
    struct Content {
        std::optional<std::string> text;
        std::string error;
    };
    file_job_.start(
        [path = ss(path)](const JobHandle&) {
            Content content{read_file(path), {}};
            if (!content.text) {
                content.error = std::strerror(errno);
            }
            return content;
        },
        [this, path](const Content& content) {
            if (!content.text) {
                problems_->setText(tr("%1 cannot be read: %2.").arg(path, qs(content.error)));
                return;
            }
            source_ = ss(path);
            text_->setPlainText(qs(*content.text));
        });
}

void ImportDialog::read_text() {
    pasted_ = !text_->toPlainText().trimmed().isEmpty();
    if (!pasted_) {
        read_job_.cancel();
        import_ = known_;
        return show_import();
    }
    // Include may name files on slow disks: not on the window's thread.
    read_job_.start([text = ss(text_->toPlainText()), name = source_.empty() ? ss(tr("line")) : source_,
                     inventory = inventory_](
                        const JobHandle&) { return import_nodes(text, name, ImportFormat::Auto, inventory); },
                    [this](NodeImport import) {
                        import_ = std::move(import);
                        show_import();
                    });
}

void ImportDialog::show_import() {
    const QSignalBlocker quiet(table_);
    table_->setRowCount(int(import_.nodes.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const ImportedNode& imported = import_.nodes[std::size_t(row)];
        const auto put = [&](int column, const QString& text) {
            auto* item = new QTableWidgetItem(text);
            item->setToolTip(plain_text(text));
            item->setFlags(imported.taken ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemIsSelectable);
            table_->setItem(row, column, item);
            return item;
        };
        QTableWidgetItem* name = put(kName, qs(imported.node.name));
        if (imported.taken) {
            name->setFlags(name->flags() | Qt::ItemIsUserCheckable);
            name->setCheckState(pasted_ ? Qt::Checked : Qt::Unchecked);
        }
        put(kHost, qs(imported.node.host));
        put(kPort, imported.node.port == 0 ? QString() : QString::number(imported.node.port));
        put(kUser, qs(imported.node.user));
        put(kLine, qs(imported.where.substr(imported.where.rfind(':') + 1)));
        put(kNote, qs(imported.note));
    }
    table_->resizeColumnsToContents();
    for (int column = 0; column < kNote; ++column) {
        table_->setColumnWidth(column, std::min(table_->columnWidth(column) + 14, 220));
    }
    QStringList faults;
    for (const Failure& failure : import_.problems) {
        QString where = qs(failure.where);
        if (source_.empty()) {
            where.replace(u':', u' ');  // "line 7": pasted text has no file
        }
        faults += QString(where % u": "_s % qs(statement(failure)) % u". "_s % qs(failure.remedy));
    }
    constexpr qsizetype kShown = 5;
    if (faults.size() > kShown) {
        const auto more = faults.size() - kShown;
        faults = faults.mid(0, kShown);
        faults += tr("… and %1 more lines that cannot be parsed").arg(more);
    }
    problems_->setText(faults.join(u'\n'));
    found_->setText(pasted_                 ? tr("Format: %1.").arg(format_text(import_.format))
                    : import_.nodes.empty() ? tr("Check the list here before you add it.")
                                            : tr("This computer knows these: tick your nodes."));
    update_button();
}

void ImportDialog::update_button() {
    const auto count = nodes().size();
    add_->setText(count == 1 ? tr("&Add 1 node") : tr("&Add %1 nodes").arg(count));
    add_->setEnabled(count > 0);
    ready_->setEnabled(count > 0);
}

std::vector<NodeSpec> ImportDialog::nodes() const {
    std::vector<NodeSpec> chosen;
    for (int row = 0; row < table_->rowCount(); ++row) {
        const ImportedNode& imported = import_.nodes[std::size_t(row)];
        if (imported.taken && table_->item(row, kName)->checkState() == Qt::Checked) {
            chosen.push_back(imported.node);
        }
    }
    return chosen;
}

}  // namespace rankscope::gui
