// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/batch_node_dialog.h>
#include <gui/fleet/node_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

QString numbers_text(const std::vector<int>& numbers) {
    QStringList parts;
    for (const int number : numbers) {
        parts += QString::number(number);
    }
    return parts.join(u", "_s);
}

/// A field of a node as its editor shows it; empty: the default.
QString field_of(const NodeSpec& node, const std::string& key) {
    const auto number = [](int value) { return value == 0 ? QString() : QString::number(value); };
    if (key == "port") {
        return number(node.port);
    }
    if (key == "user") {
        return qs(node.user);
    }
    if (key == "identity_file") {
        return qs(node.identity_file);
    }
    if (key == "proxy_jump") {
        return qs(node.proxy_jump);
    }
    if (key == "gpus") {
        return node.gpus_auto      ? QString()
               : node.gpus.empty() ? BatchNodeDialog::tr("none")
                                   : numbers_text(node.gpus);
    }
    if (key == "cpu_slots") {
        return number(node.cpu_slots);
    }
    if (key == "group") {
        return qs(node.group);
    }
    return qs(node.cache_dir);
}

/// Empty: 0; not a whole number within the limits: -1.
int number_within(const QString& text, int least, int most) {
    if (text.isEmpty()) {
        return 0;
    }
    bool ok = false;
    const int value = text.toInt(&ok);
    return ok && value >= least && value <= most ? value : -1;
}

}  // namespace

BatchNodeDialog::BatchNodeDialog(std::vector<NodeSpec> nodes, QWidget* parent)
    : QDialog(parent), before_(std::move(nodes)), form_(new FieldForm(this)) {
    setObjectName(u"batchNodeDialog"_s);
    setWindowTitle(tr("Edit %1 nodes").arg(before_.size()));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(12);
    QStringList names;
    for (const NodeSpec& node : before_) {
        names += qs(node.name);
    }
    constexpr qsizetype kMostNames = 12;
    const qsizetype more = names.size() - kMostNames;
    auto* which =
        make_label(more > 0 ? tr("%1 and %2 more").arg(names.mid(0, kMostNames).join(u", "_s)).arg(more)
                            : names.join(u", "_s),
                   this, "muted");
    which->setWordWrap(true);
    layout->addWidget(which);
    add_field("port", tr("&Port"), "batchPort", tr("22, or from ssh_config"));
    add_field("user", tr("&User"), "batchUser", tr("from ssh_config, else your name"));
    add_field("identity_file", tr("&Key file"), "batchKey", tr("SSH agent and usual keys"));
    add_field("proxy_jump", tr("&Jump host"), "batchJump", tr("none"), tr("user@host:port of a bastion"));
    add_transport();
    add_field("gpus", tr("&GPUs"), "batchGpus", tr("auto"), tr("auto, none, or indices: 0, 1, 3"));
    add_field("cpu_slots", tr("&CPU slots"), "batchSlots", tr("1"), tr("Ranks when there is no GPU"));
    add_field("cache_dir", tr("Cache &folder"), "batchCache", u"~/.cache/rankscope"_s,
              tr("Folder for agent and worker on the nodes"));
    add_field("group", tr("Gr&oup"), "batchGroup", tr("none"),
              tr("Nodes of a group are shown and chosen together"));
    layout->addWidget(form_);
    layout->addWidget(make_label(
        tr("Only ticked fields change. A ticked empty field returns to its default."), this, "muted"));
    layout->addStretch();
    auto* buttons = new QDialogButtonBox(this);
    ok_ = buttons->addButton(tr("&Save"), QDialogButtonBox::AcceptRole);
    ok_->setObjectName(u"batchOk"_s);
    ok_->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resize(540, sizeHint().height());
    check();
}

void BatchNodeDialog::add_field(const std::string& key, const QString& label, const char* object_name,
                                const QString& empty, const QString& hint) {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    Field field;
    field.change = new QCheckBox(row);
    field.change->setObjectName(QString::fromLatin1(object_name) % u"Change"_s);
    field.change->setAccessibleName(tr("Change %1").arg(QString(label).remove(u'&')));
    field.line = new QLineEdit(row);
    field.line->setObjectName(QString::fromLatin1(object_name));
    const QString first = field_of(before_.front(), key);
    const bool same = std::all_of(before_.begin(), before_.end(),
                                  [&](const NodeSpec& node) { return field_of(node, key) == first; });
    if (same) {
        field.line->setText(first);
    }
    field.line->setPlaceholderText(same ? empty : tr("different values"));
    layout->addWidget(field.change);
    layout->addWidget(field.line, 1);
    form_->add_row(key, label, row, field.line, hint);
    connect(field.line, &QLineEdit::textEdited, this, [change = field.change] { change->setChecked(true); });
    connect(field.line, &QLineEdit::textChanged, this, &BatchNodeDialog::check);
    connect(field.change, &QCheckBox::toggled, this, &BatchNodeDialog::check);
    fields_[key] = field;
}

void BatchNodeDialog::add_transport() {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    change_transport_ = new QCheckBox(row);
    change_transport_->setObjectName(u"batchTransportChange"_s);
    change_transport_->setAccessibleName(tr("Change transport"));
    transport_ = new ComboBox(row);
    transport_->setObjectName(u"batchTransport"_s);
    transport_->addItem(tr("auto: as the node needs"), QString());
    transport_->addItem(u"libssh"_s, u"libssh"_s);
    transport_->addItem(tr("OpenSSH program"), u"openssh"_s);
    const std::string& first = before_.front().transport;
    const bool same = std::all_of(before_.begin(), before_.end(),
                                  [&](const NodeSpec& node) { return node.transport == first; });
    transport_->setCurrentIndex(same ? std::max(transport_->findData(qs(first)), 0) : -1);
    layout->addWidget(change_transport_);
    layout->addWidget(transport_, 1);
    form_->add_row("transport", tr("&Transport"), row, transport_);
    connect(transport_, &QComboBox::activated, this, [this] { change_transport_->setChecked(true); });
    connect(change_transport_, &QCheckBox::toggled, this, &BatchNodeDialog::check);
}

void BatchNodeDialog::offer_groups(const QStringList& groups) {
    offer_completions(fields_.at("group").line, groups);
}

bool BatchNodeDialog::changes(const std::string& key) const {
    return fields_.at(key).change->isChecked();
}

QString BatchNodeDialog::value(const std::string& key) const {
    return fields_.at(key).line->text().trimmed();
}

void BatchNodeDialog::apply(NodeSpec& node) const {
    const auto take = [this](const char* key, std::string& field) {
        if (changes(key)) {
            field = ss(value(key));
        }
    };
    take("user", node.user);
    take("identity_file", node.identity_file);
    take("proxy_jump", node.proxy_jump);
    take("cache_dir", node.cache_dir);
    take("group", node.group);
    if (changes("port")) {
        node.port = number_within(value("port"), 1, 65535);
    }
    if (changes("cpu_slots")) {
        node.cpu_slots = number_within(value("cpu_slots"), 1, 1024);
    }
    if (changes("gpus")) {
        const QString gpus = value("gpus");
        node.gpus_auto = gpus.isEmpty() || gpus.compare(u"auto"_s, Qt::CaseInsensitive) == 0;
        node.gpus = node.gpus_auto ? std::vector<int>{} : parse_gpu_list(gpus).value_or(std::vector<int>{});
    }
    if (change_transport_->isChecked() && transport_->currentIndex() >= 0) {
        node.transport = ss(transport_->currentData().toString());
    }
}

std::vector<NodeSpec> BatchNodeDialog::nodes() const {
    std::vector<NodeSpec> all = before_;
    for (NodeSpec& node : all) {
        apply(node);
    }
    return all;
}

std::map<std::string, QString> BatchNodeDialog::errors() const {
    std::map<std::string, QString> errors;
    for (const NodeSpec& node : nodes()) {
        for (const Failure& failure : check_node(node)) {
            if (const auto field = fields_.find(failure.key);
                field != fields_.end() && changes(failure.key)) {
                errors.emplace(failure.key,
                               tr("%1: %2. %3").arg(qs(node.name), qs(failure.what), qs(failure.remedy)));
            }
        }
    }
    if (changes("port") && number_within(value("port"), 1, 65535) < 0) {
        errors["port"] = tr("Give a number from 1 to 65535, or nothing.");
    }
    if (changes("cpu_slots") && number_within(value("cpu_slots"), 1, 1024) < 0) {
        errors["cpu_slots"] = tr("Give a number from 1 to 1024, or nothing.");
    }
    const QString gpus = value("gpus");
    const bool word = gpus.isEmpty() || gpus.compare(u"auto"_s, Qt::CaseInsensitive) == 0 ||
                      gpus.compare(tr("none"), Qt::CaseInsensitive) == 0;
    if (changes("gpus") && !word && !parse_gpu_list(gpus)) {
        errors["gpus"] = tr("Write auto, none, or different indices: 0, 1, 3.");
    }
    return errors;
}

void BatchNodeDialog::check() {
    if (ok_ == nullptr) {
        return;  // the fields are being made
    }
    const auto wrong = errors();
    const bool any = change_transport_ != nullptr && change_transport_->isChecked();
    ok_->setEnabled(wrong.empty() &&
                    (any || std::any_of(fields_.begin(), fields_.end(),
                                        [](const auto& field) { return field.second.change->isChecked(); })));
    form_->set_errors(wrong);
}

}  // namespace rankscope::gui
