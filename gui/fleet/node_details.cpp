// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/node_details.h>
#include <gui/models/clock_text.h>
#include <gui/models/node_use.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/nodes/session/version_names.h>

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTextEdit>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

enum Page { kNothing, kFacts, kFailure };

using Facts = std::vector<Fact>;

void add(Facts& facts, const QString& name, const QString& value) {
    if (!value.isEmpty()) {
        facts.push_back({name, value});
    }
}

Facts connection_and_system(const FleetNode& node) {
    const NodeFacts& facts = *node.facts;
    Facts all;
    add(all, NodeDetails::tr("Connected as"), qs(facts.connected_as));
    if (!node.facts_are_old) {
        add(all, NodeDetails::tr("Time to connect"), short_time_text(facts.connect_s));
        if (facts.shell_s > kSlowShell) {
            add(all, NodeDetails::tr("Slow login shell"),
                NodeDetails::tr("%1 s until the first byte: check ~/.bashrc and ~/.profile there")
                    .arg(facts.shell_s, 0, 'f', 1));
        }
        add(all, NodeDetails::tr("Round trip"), short_time_text(facts.round_trip_s));
        add(all, NodeDetails::tr("Clock against this computer"), clock_text(facts));
    }
    add(all, NodeDetails::tr("Host name"), qs(facts.hostname));
    add(all, NodeDetails::tr("User"), qs(facts.user));
    add(all, NodeDetails::tr("System"), qs(facts.os));
    add(all, NodeDetails::tr("Kernel"), QString(qs(facts.kernel) % u' ' % qs(facts.machine)).trimmed());
    add(all, NodeDetails::tr("C library"), qs(facts.libc));
    add(all, NodeDetails::tr("Versions"), qs(libraries_text(facts)));
    add(all, NodeDetails::tr("Agent"), qs(facts.agent_version));
    add(all, NodeDetails::tr("Cache folder"),
        facts.cache_dir.empty()
            ? QString()
            : NodeDetails::tr("%1 (%2 free)").arg(qs(facts.cache_dir), bytes_text(facts.cache_free_bytes)));
    return all;
}

/// ", rank 3, training, 97 %, 64 °C": what the GPU does now; empty: not known.
QString figures_of(const std::vector<DeviceSlot>& devices, int gpu) {
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [gpu](const DeviceSlot& each) { return each.gpu && each.index == gpu; });
    const QString text = device == devices.end() ? QString() : slot_figures(*device);
    return text.isEmpty() ? text : QString(u", "_s % text);
}

Facts hardware(const FleetNode& node) {
    const NodeFacts& facts = *node.facts;
    const std::vector<DeviceSlot> devices = node.devices();
    Facts all;
    add(all, NodeDetails::tr("CPU"),
        facts.cpu_model.empty() ? QString::number(facts.cpus)
                                : QString(QString::number(facts.cpus) % u" × "_s % qs(facts.cpu_model)));
    add(all, NodeDetails::tr("Load (1 min)"), QString::number(facts.load1, 'f', 2));
    add(all, NodeDetails::tr("Memory"),
        NodeDetails::tr("%1 free of %2")
            .arg(bytes_text(facts.memory_free_bytes), bytes_text(facts.memory_bytes)));
    for (const GpuFacts& gpu : facts.gpus) {
        add(all, NodeDetails::tr("GPU %1").arg(gpu.index),
            QString(qs(gpu.name) % u", "_s % bytes_text(gpu.memory_bytes) % figures_of(devices, gpu.index)));
    }
    if (facts.gpus.empty()) {
        add(all, NodeDetails::tr("GPUs"), NodeDetails::tr("none"));
    }
    for (const InterfaceFacts& interface : facts.interfaces) {
        QStringList words;
        for (const std::string& address : interface.addresses) {
            words += qs(address);
        }
        words += interface.up ? NodeDetails::tr("up") : NodeDetails::tr("down");
        words += NodeDetails::tr("MTU %1").arg(interface.mtu);
        if (!interface.loopback) {
            add(all, NodeDetails::tr("Interface %1").arg(qs(interface.name)), words.join(u", "_s));
        }
    }
    add(all, NodeDetails::tr("Address seen from here"), qs(facts.peer_address));
    add(all, NodeDetails::tr("Our address seen from there"), qs(facts.desk_address));
    return all;
}

/// Both groups side by side: columns align in every font.
QString facts_html(const FleetNode& node, const QColor& muted) {
    const auto groups = node_facts(node);
    const auto cell = [&](const Facts& facts, std::size_t row) {
        if (row >= facts.size()) {
            return u"<td></td><td></td>"_s;
        }
        return QString(u"<td style=\"color:"_s % muted.name() %
                       u"; white-space:nowrap; padding-right:12px\">"_s % facts[row].name.toHtmlEscaped() %
                       u"</td><td style=\"padding-right:28px\">"_s % facts[row].value.toHtmlEscaped() %
                       u"</td>"_s);
    };
    QString html = u"<table cellspacing=\"0\" cellpadding=\"2\">"_s;
    for (std::size_t row = 0; row < std::max(groups[0].size(), groups[1].size()); ++row) {
        html += u"<tr>"_s % cell(groups[0], row) % cell(groups[1], row) % u"</tr>"_s;
    }
    return html % u"</table>"_s;
}

}  // namespace

std::array<std::vector<Fact>, 2> node_facts(const FleetNode& node) {
    if (!node.facts) {
        return {};
    }
    return {connection_and_system(node), hardware(node)};
}

QString facts_text(const FleetNode& node) {
    QStringList lines;
    for (const auto& group : node_facts(node)) {
        for (const Fact& fact : group) {
            lines += QString(fact.name % u'\t' % fact.value);
        }
    }
    return lines.join(u'\n');
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
        tr("No facts of this node yet. Probe connects to it, copies Rankscope's agent to your cache folder "
           "there, and shows its GPUs, memory, network and clock."));
    facts_ = new QTextEdit(this);
    facts_->setObjectName(u"nodeFacts"_s);
    facts_->setAccessibleName(tr("Facts of the node"));
    facts_->setReadOnly(true);
    facts_->setTabChangesFocus(true);
    facts_->setFrameShape(QFrame::NoFrame);
    facts_->document()->setDocumentMargin(0);
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
    detail_->setAccessibleName(tr("Message of the system"));
    detail_->setReadOnly(true);
    detail_->setTabChangesFocus(true);
    detail_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    layout->addWidget(detail_, 1);
    layout->addStretch();
    return page;
}

void NodeDetails::set_node(const FleetNode* node, std::int64_t now_us) {
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
        const QString html = facts_html(*node, theme_colors(palette()).muted);
        const bool same_node = shown_node_ == node->spec.name;
        // Figures change every few seconds: a selection and the place stay.
        if (shown_html_ != html && !(same_node && facts_->textCursor().hasSelection())) {
            const int place = facts_->verticalScrollBar()->value();
            facts_->setHtml(html);
            facts_->verticalScrollBar()->setValue(same_node ? place : 0);
            shown_html_ = html;
            shown_node_ = node->spec.name;
        }
        all_ = facts_text(*node);
        const QString age = age_text(node->facts->probed_us, now_us);
        hint_->setText(
            age.isEmpty() ? (node->facts_are_old ? tr("probed in an earlier session") : tr("probed just now"))
                          : tr("probed %1").arg(age));
        // Those of a live run or of a later look are of another age than the other facts.
        if (const std::int64_t then = node->sample_us(); then > node->facts->probed_us && now_us >= then) {
            hint_->setText(tr("%1 · figures as of %2 ago")
                               .arg(hint_->text(), duration_text(std::floor(double(now_us - then) / 1e6))));
        }
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
