// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/node_dialog.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/text_height.h>
#include <remote/desk/nodes/transport/ssh_target.h>
#include <remote/desk/nodes/transport/transport_choice.h>

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kBad = -1;
constexpr int kResolveAfterMs = 250;  ///< without a keystroke

/// Empty: `absent`; not a whole number: kBad.
int whole(const QLineEdit* edit, int absent) {
    const QString text = edit->text().trimmed();
    if (text.isEmpty()) {
        return absent;
    }
    bool ok = false;
    const int value = text.toInt(&ok);
    return ok && value >= 0 ? value : kBad;
}

QString join_numbers(const std::vector<int>& numbers) {
    QStringList parts;
    for (const int number : numbers) {
        parts += QString::number(number);
    }
    return parts.join(u", "_s);
}

}  // namespace

std::optional<std::vector<int>> parse_gpu_list(const QString& text) {
    static const QRegularExpression separators(u"[,\\s]+"_s);
    std::vector<int> numbers;
    for (const QString& part : text.split(separators, Qt::SkipEmptyParts)) {
        bool ok = false;
        const int number = part.toInt(&ok);
        if (!ok || number < 0 || std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
            return std::nullopt;
        }
        numbers.push_back(number);
    }
    return numbers;
}

NodeDialog::NodeDialog(const NodeSpec& node, QStringList taken, bool is_new, QWidget* parent)
    : QDialog(parent),
      before_(node),
      taken_(std::move(taken)),
      form_(new FieldForm(this)),
      resolve_job_(this, QThreadPool::globalInstance()) {
    setObjectName(u"nodeDialog"_s);
    setWindowTitle(is_new ? tr("Add a node") : tr("Edit %1").arg(qs(node.name)));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(12);
    make_fields(node);
    layout->addWidget(form_);
    way_ = make_label({}, this, "muted");
    way_->setObjectName(u"nodeWay"_s);
    way_->setWordWrap(true);
    way_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    // Room for two lines from the start: nothing moves when the answer arrives.
    way_->setMinimumHeight(text_height(way_->font(), 2) + 2);
    way_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    layout->addWidget(way_);
    layout->addStretch();
    auto* buttons = new QDialogButtonBox(this);
    ok_ = buttons->addButton(is_new ? tr("&Add") : tr("&Save"), QDialogButtonBox::AcceptRole);
    ok_->setObjectName(u"nodeOk"_s);
    ok_->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    for (QLineEdit* edit :
         {name_, host_, port_, user_, key_, jump_, gpus_, slots_, address_, cache_, group_}) {
        connect(edit, &QLineEdit::textChanged, this, [this] {
            touched_ = true;
            check();
        });
    }
    connect(transport_, &QComboBox::currentIndexChanged, this, [this] {
        touched_ = true;
        check();
    });
    resolve_timer_.setSingleShot(true);
    resolve_timer_.setInterval(kResolveAfterMs);
    connect(&resolve_timer_, &QTimer::timeout, this, &NodeDialog::resolve);
    resize(540, sizeHint().height());
    check();
    name_->setFocus();
}

void NodeDialog::make_fields(const NodeSpec& node) {
    name_ = form_->add_line("name", tr("&Name"), "nodeName", tr("node1"), tr("A unique name for the node"));
    host_ = form_->add_line("host", tr("&Host"), "nodeHost", tr("same as the name"),
                            tr("Name, address, or a Host of your ssh_config"));
    port_ = form_->add_line("port", tr("&Port"), "nodePort", tr("22, or from ssh_config"));
    user_ = form_->add_line("user", tr("&User"), "nodeUser", tr("from ssh_config, else your name"));
    auto* key_row = new QWidget(this);
    auto* key_layout = new QHBoxLayout(key_row);
    key_layout->setContentsMargins(0, 0, 0, 0);
    key_ = new QLineEdit(key_row);
    key_->setObjectName(u"nodeKey"_s);
    key_->setPlaceholderText(tr("SSH agent and usual keys"));
    auto* browse = make_button(tr("Browse…"), "nodeKeyBrowse", key_row);
    key_layout->addWidget(key_, 1);
    key_layout->addWidget(browse);
    connect(browse, &QPushButton::clicked, this, &NodeDialog::browse_key);
    form_->add_row("identity_file", tr("&Key file"), key_row, key_);
    jump_ = form_->add_line("proxy_jump", tr("&Jump host"), "nodeJump", tr("none"),
                            tr("user@host:port of a bastion"));
    transport_ = new ComboBox(this);
    transport_->setObjectName(u"nodeTransport"_s);
    transport_->addItem(tr("auto: as the node needs"), QString());
    transport_->addItem(u"libssh"_s, u"libssh"_s);
    transport_->addItem(tr("OpenSSH program"), u"openssh"_s);
    form_->add_row(
        "transport", tr("&Transport"), transport_, nullptr,
        tr("libssh is faster to connect; OpenSSH supports certificates, security keys and GSSAPI"));
    gpus_ = form_->add_line("gpus", tr("&GPUs"), "nodeGpus", tr("auto"), tr("auto, or indices: 0, 1, 3"));
    slots_ = form_->add_line("cpu_slots", tr("&CPU slots"), "nodeSlots", tr("1"),
                             tr("Ranks when there is no GPU"));
    address_ = form_->add_line("address", tr("&Address"), "nodeAddress", tr("detected"),
                               tr("Used as MASTER_ADDR by the other nodes"));
    cache_ = form_->add_line("cache_dir", tr("Cache &folder"), "nodeCache", u"~/.cache/rankscope"_s,
                             tr("Folder for agent and worker on the node"));
    group_ = form_->add_line("group", tr("Gr&oup"), "nodeGroup", tr("none"),
                             tr("Nodes of a group are shown and chosen together"));

    name_->setText(qs(node.name));
    host_->setText(node.host == node.name ? QString() : qs(node.host));
    port_->setText(node.port == 0 ? QString() : QString::number(node.port));
    user_->setText(qs(node.user));
    key_->setText(qs(node.identity_file));
    jump_->setText(qs(node.proxy_jump));
    transport_->setCurrentIndex(std::max(transport_->findData(qs(node.transport)), 0));
    gpus_->setText(node.gpus_auto ? QString() : node.gpus.empty() ? tr("none") : join_numbers(node.gpus));
    slots_->setText(node.cpu_slots == 0 ? QString() : QString::number(node.cpu_slots));
    address_->setText(qs(node.address));
    cache_->setText(qs(node.cache_dir));
    group_->setText(qs(node.group));
}

void NodeDialog::offer_groups(const QStringList& groups) {
    offer_completions(group_, groups);
}

NodeSpec NodeDialog::node() const {
    NodeSpec node = before_;
    node.name = ss(name_->text().trimmed());
    node.host = ss(host_->text().trimmed());
    if (node.host.empty()) {
        node.host = node.name;
    }
    node.port = whole(port_, 0);
    node.user = ss(user_->text().trimmed());
    node.identity_file = ss(key_->text().trimmed());
    node.proxy_jump = ss(jump_->text().trimmed());
    const std::string transport = ss(transport_->currentData().toString());
    if (!(transport.empty() && node.transport == "auto")) {  // "auto" stays as it was written
        node.transport = transport;
    }
    const QString gpus = gpus_->text().trimmed();
    node.gpus_auto = gpus.isEmpty() || gpus.compare(u"auto"_s, Qt::CaseInsensitive) == 0;
    node.gpus.clear();
    if (!node.gpus_auto) {
        node.gpus = parse_gpu_list(gpus).value_or(std::vector<int>{});
    }
    node.cpu_slots = whole(slots_, 0);
    node.address = ss(address_->text().trimmed());
    node.cache_dir = ss(cache_->text().trimmed());
    node.group = ss(group_->text().trimmed());
    return node;
}

void NodeDialog::check() {
    std::map<std::string, QString> errors;
    for (const Failure& failure : check_node(node())) {
        errors[failure.key] = qs(failure.what) % u". "_s % qs(failure.remedy);
    }
    if (taken_.contains(name_->text().trimmed())) {
        errors["name"] = tr("A node with this name exists already. Choose another name.");
    }
    if (whole(port_, 0) == kBad) {
        errors["port"] = tr("Give a number from 1 to 65535, or nothing.");
    }
    if (whole(slots_, 0) == kBad || whole(slots_, 0) > 1024) {
        errors["cpu_slots"] = tr("Give a number from 1 to 1024, or nothing.");
    }
    const QString gpus = gpus_->text().trimmed();
    const bool none = gpus.compare(tr("none"), Qt::CaseInsensitive) == 0;
    if (!node().gpus_auto && !none && !parse_gpu_list(gpus)) {
        errors["gpus"] = tr("Write auto, none, or different indices: 0, 1, 3.");
    }
    ok_->setEnabled(errors.empty());
    // No error before the first keystroke: an empty new name only disables the button.
    if (!touched_ && name_->text().isEmpty()) {
        errors.erase("name");
    }
    if (host_->text().trimmed().isEmpty()) {
        errors.erase("host");  // the name is the host then, and has its own error
    }
    form_->set_errors(errors);
    resolve_job_.cancel();
    if (errors.empty() && !node().host.empty()) {
        resolve_timer_.start();
    } else {
        resolve_timer_.stop();
        show_way({}, false);
    }
    // Room for the fields' errors.
    layout()->activate();
    resize(width(), std::max(height(), sizeHint().height()));
}

// ssh_config may need name look-ups and Match exec, which are slow: the window does not wait.
void NodeDialog::resolve() {
    show_way(tr("Reading the ssh configuration…"), false);
    resolve_job_.start(
        [node = node()](const JobHandle& handle) -> Result<std::pair<std::string, TransportChoice>> {
            const auto target = resolve_ssh_target(node, handle.stop());
            if (!target) {
                return target.failure();
            }
            return std::pair(describe_target(*target), choose_transport(node, *target));
        },
        [this](const Result<std::pair<std::string, TransportChoice>>& answer) {
            if (!answer) {
                show_way(failure_text(answer.failure()), true);
                return;
            }
            const auto& [way, choice] = *answer;
            const QString by =
                choice.implementation == SshImplementation::OpenSsh ? tr("OpenSSH") : u"libssh"_s;
            show_way(
                tr("Connects as %1").arg(qs(way)) % u'\n' %
                    (choice.why.empty() ? tr("by %1").arg(by) : tr("by %1 (%2)").arg(by, qs(choice.why))),
                false);
        });
}

void NodeDialog::show_way(const QString& text, bool fault) {
    way_->setText(text);
    set_style_property(way_, "role", fault ? u"fieldError"_s : u"muted"_s);
    way_->updateGeometry();
}

void NodeDialog::browse_key() {
    auto* dialog = new QFileDialog(this, tr("Key file"), QDir::homePath() + u"/.ssh"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setFilter(QDir::Files | QDir::Hidden | QDir::AllDirs | QDir::NoDotAndDotDot);
    connect(dialog, &QFileDialog::fileSelected, key_, &QLineEdit::setText);
    dialog->open();
}

}  // namespace rankscope::gui
