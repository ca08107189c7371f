// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/node_details.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

enum Page { kNothing, kFacts, kFailure };

class Lines {
public:
    void add(const QString& name, const QString& value) {
        if (!value.isEmpty()) {
            rows_.push_back({name, value});
        }
    }
    QString text() const {
        qsizetype width = 0;
        for (const auto& [name, value] : rows_) {
            width = std::max(width, name.size());
        }
        QStringList lines;
        for (const auto& [name, value] : rows_) {
            lines += QString(name.leftJustified(width + 3) % value);
        }
        return lines.join(u'\n');
    }

private:
    std::vector<std::pair<QString, QString>> rows_;
};

void add_hardware(Lines& lines, const NodeFacts& facts) {
    lines.add(NodeDetails::tr("CPU"), facts.cpu_model.empty() ? QString::number(facts.cpus)
                                                              : QString(QString::number(facts.cpus) %
                                                                        u" × "_s % qs(facts.cpu_model)));
    lines.add(NodeDetails::tr("Load (1 min)"), QString::number(facts.load1, 'f', 2));
    lines.add(NodeDetails::tr("Memory"),
              NodeDetails::tr("%1 free of %2")
                  .arg(bytes_text(facts.memory_free_bytes), bytes_text(facts.memory_bytes)));
    for (const GpuFacts& gpu : facts.gpus) {
        lines.add(NodeDetails::tr("GPU %1").arg(gpu.index),
                  QString(qs(gpu.name) % u", "_s % bytes_text(gpu.memory_bytes)));
    }
    if (facts.gpus.empty()) {
        lines.add(NodeDetails::tr("GPUs"), NodeDetails::tr("none"));
    }
    for (const InterfaceFacts& interface : facts.interfaces) {
        QStringList words;
        for (const std::string& address : interface.addresses) {
            words += qs(address);
        }
        words += interface.up ? NodeDetails::tr("up") : NodeDetails::tr("down");
        words += NodeDetails::tr("MTU %1").arg(interface.mtu);
        if (!interface.loopback) {
            lines.add(NodeDetails::tr("Interface %1").arg(qs(interface.name)), words.join(u", "_s));
        }
    }
}

}  // namespace

QString facts_text(const FleetNode& node) {
    if (!node.facts) {
        return {};
    }
    const NodeFacts& facts = *node.facts;
    Lines lines;
    lines.add(NodeDetails::tr("Connected as"), qs(facts.connected_as));
    if (!node.facts_are_old) {
        lines.add(NodeDetails::tr("Time to connect"), short_time_text(facts.connect_s));
        if (facts.shell_s > kSlowShell) {
            lines.add(NodeDetails::tr("Slow login shell"),
                      NodeDetails::tr("%1 s until the first byte: look at ~/.bashrc and ~/.profile there")
                          .arg(facts.shell_s, 0, 'f', 1));
        }
        lines.add(NodeDetails::tr("Round trip"), short_time_text(facts.round_trip_s));
        lines.add(
            NodeDetails::tr("Clock"),
            NodeDetails::tr("%1 against this computer").arg(short_time_text(facts.clock_offset_s, true)));
    }
    lines.add(NodeDetails::tr("Host name"), qs(facts.hostname));
    lines.add(NodeDetails::tr("User"), qs(facts.user));
    lines.add(NodeDetails::tr("System"), qs(facts.os));
    lines.add(NodeDetails::tr("Kernel"), QString(qs(facts.kernel) % u' ' % qs(facts.machine)).trimmed());
    lines.add(NodeDetails::tr("C library"), qs(facts.libc));
    add_hardware(lines, facts);
    lines.add(
        NodeDetails::tr("Cache folder"),
        facts.cache_dir.empty()
            ? QString()
            : NodeDetails::tr("%1 (%2 free)").arg(qs(facts.cache_dir), bytes_text(facts.cache_free_bytes)));
    lines.add(NodeDetails::tr("Agent"), qs(facts.agent_version));
    lines.add(NodeDetails::tr("Reached at"), qs(facts.peer_address));
    lines.add(NodeDetails::tr("It sees us at"), qs(facts.desk_address));
    return lines.text();
}

NodeDetails::NodeDetails(QWidget* parent) : QFrame(parent) {
    setObjectName(u"nodeDetails"_s);
    setProperty("role", u"card"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 10);
    layout->setSpacing(6);
    auto* top = new QHBoxLayout;
    title_ = new ElidedLabel(this);
    QFont bold = title_->font();
    bold.setBold(true);
    title_->setFont(bold);
    hint_ = make_label({}, this, "muted");
    copy_ = make_button(tr("&Copy"), "detailsCopy", this);
    top->addWidget(title_);
    top->addWidget(hint_);
    top->addStretch(1);
    top->addWidget(copy_);
    layout->addLayout(top);
    stack_ = new QStackedWidget(this);
    auto* nothing = make_label({}, this, "muted");
    nothing->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    nothing->setWordWrap(true);
    nothing->setText(
        tr("Nothing is known of this machine yet. Probe connects to it, puts Rankscope's agent into your "
           "cache there, "
           "and shows its GPUs, memory, network and clock."));
    facts_ = new QPlainTextEdit(this);
    facts_->setObjectName(u"nodeFacts"_s);
    facts_->setAccessibleName(tr("Facts of the node"));
    facts_->setReadOnly(true);
    facts_->setTabChangesFocus(true);
    facts_->setFrameShape(QFrame::NoFrame);
    facts_->setLineWrapMode(QPlainTextEdit::NoWrap);
    facts_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    stack_->addWidget(nothing);
    stack_->addWidget(facts_);
    stack_->addWidget(make_failure());
    layout->addWidget(stack_, 1);
    connect(copy_, &QPushButton::clicked, this, [this] { copy_to_clipboard(all_); });
}

QWidget* NodeDetails::make_failure() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    what_ = make_label({}, page, "fieldError");
    what_->setObjectName(u"nodeFailureWhat"_s);
    remedy_ = make_label({}, page);
    remedy_->setObjectName(u"nodeFailureRemedy"_s);
    for (QLabel* label : {what_, remedy_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        layout->addWidget(label);
    }
    detail_ = new QPlainTextEdit(page);
    detail_->setObjectName(u"nodeFailureDetail"_s);
    detail_->setAccessibleName(tr("What the system said"));
    detail_->setReadOnly(true);
    detail_->setTabChangesFocus(true);
    detail_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    layout->addWidget(detail_, 1);
    layout->addStretch();
    return page;
}

void NodeDetails::set_node(const FleetNode* node) {
    title_->set_full_text(node ? node_title(node->spec) : tr("No node selected"));
    hint_->clear();
    copy_->setVisible(node && (node->facts || node->state == ProbeState::Failed));
    stack_->setVisible(node != nullptr);
    if (!node) {
        all_.clear();
        return;
    }
    if (node->state == ProbeState::Failed) {
        what_->setText(failure_line(node->failure));
        remedy_->setText(qs(node->failure.remedy));
        remedy_->setVisible(!node->failure.remedy.empty());
        detail_->setPlainText(qs(node->failure.detail));
        detail_->setVisible(!node->failure.detail.empty());
        all_ = failure_text(node->failure);
        stack_->setCurrentIndex(kFailure);
    } else if (node->facts) {
        const QString text = facts_text(*node);
        if (facts_->toPlainText() != text) {
            facts_->setPlainText(text);
        }
        all_ = text;
        hint_->setText(node->facts_are_old ? tr("as last probed, in an earlier session") : QString());
        stack_->setCurrentIndex(kFacts);
    } else {
        all_.clear();
        stack_->setCurrentIndex(kNothing);
    }
}

QString NodeDetails::text() const {
    return all_;
}

}  // namespace rankscope::gui
