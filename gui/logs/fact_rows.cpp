// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_store.h>
#include <gui/logs/fact_rows.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/watch/flight_watch.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QTimeZone>
#include <QTreeWidget>
#include <algorithm>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LogsPage)
};

constexpr std::size_t kMostRows = 5000;  ///< of a list; the rest is counted
constexpr std::size_t kMostHosts = 64;

QVariantList place_data(const logs::LinePlace& place) {
    return place.line == 0 ? QVariantList()
                           : QVariantList{place.file, QVariant::fromValue(qulonglong(place.line))};
}

QString place_text(const ReadingSnapshot& snapshot, const logs::LinePlace& place) {
    return place.file < snapshot.sources.size()
               ? qs(snapshot.sources[place.file]) + u":"_s + QString::number(place.line)
               : QString();
}

void add_row(QTreeWidget* list, const QString& name, const QString& value,
             const logs::LinePlace& place = {}) {
    if (value.isEmpty()) {
        return;
    }
    auto* row = new QTreeWidgetItem(list, {name, value});
    row->setToolTip(1, plain_text(value));
    row->setData(0, Qt::UserRole, place_data(place));
}

QString addresses_text(const std::vector<logs::InterfaceAddress>& all) {
    QStringList texts;
    for (const logs::InterfaceAddress& one : all) {
        texts += qs(one.interface) + u" "_s + qs(one.address);
    }
    return texts.join(u", "_s);
}

QString devices_text(const std::vector<logs::IbDevice>& all) {
    QStringList texts;
    for (const logs::IbDevice& one : all) {
        texts += one.link.empty() ? qs(one.name) : qs(one.name) + u" ("_s + qs(one.link) + u")"_s;
    }
    return texts.join(u", "_s);
}

void add_host(QTreeWidget* list, const logs::HostFacts& host) {
    QStringList parts;
    const auto add = [&](const QString& what, const QString& value) {
        if (!value.isEmpty()) {
            parts += what.arg(value);
        }
    };
    add(Words::tr("bootstrap %1"), addresses_text(host.bootstrap));
    add(Words::tr("sockets %1"), addresses_text(host.sockets));
    add(Words::tr("InfiniBand %1"), devices_text(host.ib_devices));
    for (const std::string& network : host.networks) {
        add(Words::tr("uses %1"), qs(network));
    }
    add_row(list, Words::tr("Node %1").arg(qs(host.name)), parts.isEmpty() ? u"–"_s : parts.join(u"; "_s));
}

void add_communicator(QTreeWidget* list, const logs::RunFacts& facts,
                      const logs::Communicator& communicator) {
    QStringList parts{Words::tr("%1 ranks").arg(communicator.nranks)};
    if (communicator.nnodes > 0) {
        parts += Words::tr("%1 nodes").arg(communicator.nnodes);
    }
    if (communicator.channels > 0) {
        parts += Words::tr("%1 channels").arg(communicator.channels);
    }
    QStringList transports;
    for (const std::string& transport : facts.transports_of(communicator)) {
        transports += qs(transport);
    }
    if (!transports.isEmpty()) {
        parts += transports.join(u", "_s);
    }
    const std::vector<int> missing = communicator.missing_ranks();
    if (!missing.empty() && missing.size() < std::size_t(communicator.nranks)) {
        parts += Words::tr("no line of ranks %1").arg(ranks_text(missing));
    }
    const logs::LinePlace place =
        communicator.members.empty() ? logs::LinePlace() : communicator.members.front().start;
    add_row(list, Words::tr("Communicator %1").arg(qs(communicator.id)), parts.join(u"; "_s), place);
}

QString state_text(FlightState state) {
    switch (state) {
        case FlightState::Scheduled:
            return Words::tr("not begun");
        case FlightState::Started:
            return Words::tr("not ended");
        case FlightState::Completed:
            return Words::tr("ended");
        case FlightState::Unknown:
            break;
    }
    return u"–"_s;
}

void add_dumps(QTreeWidget* list, const std::map<int, FlightDump>& dumps) {
    const auto shown = [](const std::string& text) { return qs(displayable(text, 200)); };
    std::size_t rows = 0;
    for (const auto& [rank, dump] : dumps) {
        if (++rows > kMostRows) {
            add_row(list, u"Flight Recorder"_s, Words::tr("%1 more").arg(dumps.size() - kMostRows));
            break;
        }
        QStringList parts{Words::tr("%1 collectives").arg(dump.entries.size())};
        if (!dump.entries.empty()) {
            const FlightEntry& last = dump.entries.back();
            const std::string& group = last.description.empty() ? last.group : last.description;
            parts += Words::tr("the last: %1 of %2 (%3), %4")
                         .arg(shown(call_of(last)), shown(group), QString::number(last.sequence),
                              state_text(last.state));
            if (const auto frames = frames_of(last); !frames.empty()) {
                parts += shown(frames.front());
            }
        }
        if (!dump.complete) {
            parts += Words::tr("the dump is incomplete");
        }
        add_row(list, Words::tr("Flight Recorder, rank %1").arg(rank), parts.join(u"; "_s));
    }
}

QString remark_text(const logs::Remark& remark) {
    using logs::RemarkKind;
    switch (remark.kind) {
        case RemarkKind::NotFound:
            return Words::tr("not found");
        case RemarkKind::Unreadable:
            return Words::tr("cannot be read: %1").arg(qs(remark.detail));
        case RemarkKind::NotText:
        case RemarkKind::NotALog:
        case RemarkKind::NotRegular:
            return Words::tr("skipped: it is no log");
        case RemarkKind::LongLine:
            return Words::tr("a line is too long: its end is left out");
        case RemarkKind::Nul:
            return Words::tr("NUL bytes are left out");
        case RemarkKind::Colours:
            return Words::tr("colour codes are left out");
        case RemarkKind::Overwritten:
            return Words::tr("lines that were written over are read one by one");
        case RemarkKind::BadText:
            return Words::tr("bytes that are no UTF-8 are replaced");
        case RemarkKind::Utf16:
            return Words::tr("read as UTF-16");
        case RemarkKind::ArchiveDamaged:
            return Words::tr("the archive is damaged: read as far as it goes");
        case RemarkKind::ArchiveLocked:
            return Words::tr("skipped: it is encrypted");
        case RemarkKind::ArchiveDeep:
            return Words::tr("skipped: an archive within too many others");
        case RemarkKind::UnpackLimit:
            return Words::tr("the archive is too large: the rest is skipped");
        case RemarkKind::FileLimit:
            return Words::tr("too many files: the rest is skipped");
        case RemarkKind::Stopped:
            return Words::tr("the reading was cancelled");
    }
    return {};
}

QString kind_text(const logs::TimelineEntry& entry) {
    switch (entry.kind) {
        case logs::TimelineKind::Fact:
            return Words::tr("Fact");
        case logs::TimelineKind::Fault:
            return entry.first ? Words::tr("First fault") : Words::tr("Fault");
        case logs::TimelineKind::Notice:
            return Words::tr("Noticed");
        case logs::TimelineKind::Exit:
            return Words::tr("Exit");
        case logs::TimelineKind::Last:
            return Words::tr("Last line");
    }
    return {};
}

QString moment_text(const logs::Moment& moment) {
    if (!moment.known()) {
        return u"–"_s;
    }
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(qint64(moment.time * 1000), QTimeZone::utc());
    return time.toString(moment.time_of_day_only ? u"HH:mm:ss"_s : u"yyyy-MM-dd HH:mm:ss"_s);
}

}  // namespace

void fill_facts(QTreeWidget* list, const ReadingSnapshot& snapshot) {
    list->clear();
    list->setColumnWidth(0, 240);
    const logs::RunFacts& facts = snapshot.facts;
    for (const logs::VersionFact& version : facts.versions) {
        add_row(list, u"NCCL"_s,
                version.cuda.empty() ? qs(version.nccl)
                                     : Words::tr("%1, CUDA %2").arg(qs(version.nccl), qs(version.cuda)),
                version.place);
    }
    add_row(list, u"PyTorch"_s, qs(facts.torch_version));
    for (std::size_t i = 0; i < std::min(facts.hosts.size(), kMostHosts); ++i) {
        add_host(list, facts.hosts[i]);
    }
    if (facts.hosts.size() > kMostHosts) {
        add_row(list, Words::tr("Nodes"), Words::tr("%1 more").arg(facts.hosts.size() - kMostHosts));
    }
    for (std::size_t i = 0; i < std::min(facts.communicators.size(), kMostRows); ++i) {
        add_communicator(list, facts, facts.communicators[i]);
    }
    add_dumps(list, snapshot.flights->dumps());
    if (const std::vector<int>& earlier = snapshot.flights->of_earlier_runs(); !earlier.empty()) {
        add_row(list, u"Flight Recorder"_s,
                Words::tr("left out, of an earlier run: %1").arg(ranks_text(earlier)));
    }
    for (const logs::SettingFact& setting : facts.settings) {
        add_row(list, qs(setting.name), qs(setting.value), setting.place);
    }
    for (const logs::Remark& remark : snapshot.remarks) {
        const QString name = !remark.name.empty()                      ? qs(remark.name)
                             : remark.source < snapshot.sources.size() ? qs(snapshot.sources[remark.source])
                                                                       : QString();
        const bool of_line = remark.line > 0 && remark.source < snapshot.sources.size();
        add_row(list, name, remark_text(remark),
                of_line ? logs::LinePlace{remark.source, remark.line} : logs::LinePlace());
    }
}

void fill_timeline(QTreeWidget* list, const ReadingSnapshot& snapshot) {
    list->clear();
    list->setColumnWidth(0, 150);
    list->setColumnWidth(1, 90);
    list->setColumnWidth(2, 170);
    QList<QTreeWidgetItem*> rows;
    for (std::size_t i = 0; i < std::min(snapshot.timeline.size(), kMostRows); ++i) {
        const logs::TimelineEntry& entry = snapshot.timeline[i];
        QString who = qs(entry.host);
        if (entry.rank >= 0) {
            who += (who.isEmpty() ? QString() : u" · "_s) + Words::tr("rank %1").arg(entry.rank);
        }
        auto* row = new QTreeWidgetItem(
            {moment_text(entry.moment), kind_text(entry), who, qs(displayable(entry.text, 400))});
        row->setToolTip(3, plain_text(place_text(snapshot, entry.place)));
        row->setData(0, Qt::UserRole, place_data(entry.place));
        if (entry.first) {
            QFont bold = list->font();
            bold.setBold(true);
            row->setFont(1, bold);
        }
        rows += row;
    }
    list->addTopLevelItems(rows);
    if (snapshot.timeline.size() > kMostRows) {
        new QTreeWidgetItem(
            list, {QString(), QString(), QString(),
                   Words::tr("%1 later entries are not shown.").arg(snapshot.timeline.size() - kMostRows)});
    }
}

}  // namespace rankscope::gui
