// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plain_text.h>
#include <gui/prompts/host_key_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/quiet_header.h>

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace rankscope::gui {

HostKeyDialog::HostKeyDialog(QWidget* parent) : QuestionDialog(parent) {
    setObjectName(u"hostKeyDialog"_s);
    setWindowTitle(tr("Unknown host key"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(12);

    text_ = make_label(QString(), this);
    text_->setWordWrap(true);
    text_->setObjectName(u"hostKeyText"_s);
    layout->addWidget(text_);

    table_ = new QTableWidget(0, 4, this);
    table_->setObjectName(u"hostKeyTable"_s);
    table_->setAccessibleName(tr("Host keys"));
    table_->setHorizontalHeader(new QuietHeader(table_));
    table_->setHorizontalHeaderLabels({tr("Node"), tr("Host"), tr("Key type"), tr("Fingerprint")});
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->setWordWrap(false);
    layout->addWidget(table_);

    auto* hint = make_label(tr("Compare with the output on the node itself: "
                               "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"),
                            this, "muted");
    hint->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    hint->setWordWrap(true);
    layout->addWidget(hint);

    auto* buttons = new QDialogButtonBox(this);
    reject_ = buttons->addButton(tr("&Don't connect"), QDialogButtonBox::RejectRole);
    reject_->setObjectName(u"hostKeyReject"_s);
    accept_ = buttons->addButton(tr("&Trust selected and connect"), QDialogButtonBox::AcceptRole);
    accept_->setObjectName(u"hostKeyAccept"_s);
    accept_->setAutoDefault(false);
    reject_->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(table_, &QTableWidget::itemChanged, this, [this] { update_texts(); });
    resize(760, 300);
    update_texts();
}

void HostKeyDialog::add(const HostKeyQuestion& question) {
    const QSignalBlocker quiet(table_);
    const int row = table_->rowCount();
    table_->insertRow(row);
    auto* node = new QTableWidgetItem(qs(question.node));
    node->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    node->setCheckState(Qt::Checked);
    table_->setItem(row, 0, node);
    table_->setItem(row, 1, new QTableWidgetItem(qs(question.host) % u':' % QString::number(question.port)));
    table_->setItem(row, 2, new QTableWidgetItem(qs(question.key_type)));
    auto* fingerprint = new QTableWidgetItem(qs(question.fingerprint));
    fingerprint->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    table_->setItem(row, 3, fingerprint);
    for (int column = 0; column < table_->columnCount(); ++column) {
        table_->item(row, column)->setToolTip(plain_text(table_->item(row, column)->text()));
    }
    table_->resizeColumnsToContents();
    for (int column = 0; column < table_->columnCount(); ++column) {
        table_->setColumnWidth(column, table_->columnWidth(column) + 12);
    }
    table_->setColumnWidth(0, std::min(table_->columnWidth(0), 200));
    table_->setColumnWidth(1, std::min(table_->columnWidth(1), 200));
    update_texts();
    if (isVisible()) {
        changed();
    }
}

bool HostKeyDialog::accepted_at(int i) const {
    return i < table_->rowCount() && table_->item(i, 0)->checkState() == Qt::Checked;
}

int HostKeyDialog::ticked() const {
    int count = 0;
    for (int row = 0; row < table_->rowCount(); ++row) {
        count += accepted_at(row) ? 1 : 0;
    }
    return count;
}

void HostKeyDialog::update_texts() {
    const int count = table_->rowCount();
    text_->setText(
        count == 1
            ? tr("This node is not known yet. Trust it if its fingerprint is correct: Rankscope then adds "
                 "it "
                 "to your known_hosts file. If you did not expect this question, don't connect.")
            : tr("These %1 nodes are not known yet. Trust those whose fingerprint is correct: Rankscope "
                 "then adds them to your known_hosts file. The others are not connected.")
                  .arg(count));
    accept_->setText(count > 1 ? tr("&Trust %1 selected and connect").arg(ticked())
                               : tr("&Trust and connect"));
    update_buttons();
}

void HostKeyDialog::update_buttons() {
    reject_->setEnabled(ready());
    accept_->setEnabled(ready() && ticked() > 0);
}

}  // namespace rankscope::gui
