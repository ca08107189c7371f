// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_model.h>
#include <gui/nccl/collective_format.h>
#include <gui/nccl/collective_timeline.h>
#include <gui/nccl/collectives_tab.h>
#include <gui/nccl/size_plot.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/fitted_table.h>
#include <gui/widgets/layout_helpers.h>

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <set>

namespace rankscope::gui {

namespace {

constexpr int kTabTextWidth = 620;
constexpr double kTelling = 0.5;  ///< of the compared operations: a rank that is last so often is the reason
constexpr std::uint64_t kEnough = 3;  ///< compared operations

/// "2.18.3" → 218.
int short_version(const std::string& version) {
    const QStringList parts = qs(version).split(u'.');
    return parts.size() < 2 ? 0 : parts[0].toInt() * 100 + parts[1].toInt();
}

const CollectiveReport& report_of(const ReadingSnapshot& snapshot) {
    static const CollectiveReport none;
    return snapshot.collectives ? *snapshot.collectives : none;
}

bool profiler_is_off(const LiveModel* run) {
    static const QRegularExpression off(u"nccl_profiler:\\s*[\"']?off"_s);
    return run && off.match(qs(run->data().job_yaml)).hasMatch();
}

QString reasons_text(const CollectiveReport& report) {
    std::map<std::string, std::vector<int>> ranks;
    for (const ReportRank& rank : report.ranks) {
        if (!rank.unavailable.empty()) {
            ranks[rank.unavailable].push_back(rank.rank);
        }
    }
    QStringList lines;
    for (const auto& [reason, of] : ranks) {
        lines += of.size() == report.ranks.size()
                     ? unavailable_text(reason)
                     : CollectivesTab::tr("Ranks %1: %2").arg(ranks_text(of), unavailable_text(reason));
    }
    return lines.join(u'\n');
}

}  // namespace

QString collectives_absence(const ReadingSnapshot& snapshot, const LiveModel* run) {
    const CollectiveReport& report = report_of(snapshot);
    if (report.has_operations()) {
        return {};
    }
    if (const QString reasons = reasons_text(report); !reasons.isEmpty()) {
        return reasons;
    }
    if (snapshot.gloo_lines > 0 || (run && run->state().plan.backend == "gloo")) {
        return CollectivesTab::tr("This run uses Gloo. It reports no operations: only NCCL can be observed.");
    }
    if (profiler_is_off(run)) {
        return CollectivesTab::tr("The job says nccl_profiler: off.");
    }
    for (const logs::VersionFact& version : snapshot.facts.versions) {
        if (short_version(version.nccl) > 0 && short_version(version.nccl) < 223) {
            return CollectivesTab::tr("NCCL %1 has no profiler interface: it came with NCCL 2.23.")
                .arg(qs(version.nccl));
        }
    }
    if (!run) {
        return CollectivesTab::tr(
            "These logs list no operations. Add the files that NCCL Inspector writes "
            "(NCCL_INSPECTOR_ENABLE=1), or "
            "start the job with Rankscope.");
    }
    return snapshot.complete ? CollectivesTab::tr("No operation of NCCL was reported in this run.")
                             : CollectivesTab::tr("No operation of NCCL yet.");
}

QString collectives_summary(const CollectiveReport& report) {
    std::vector<int> behind;
    QString what;
    for (const ReportRank& rank : report.ranks) {
        if (!rank.behind.empty()) {
            behind.push_back(rank.rank);
            what = behind_text(report, rank.behind.front());
        }
    }
    if (behind.size() == 1) {
        return CollectivesTab::tr("Rank %1 %2").arg(QString::number(behind.front()), what);
    }
    if (!behind.empty()) {
        return CollectivesTab::tr("%n ranks are behind: %1", nullptr, int(behind.size()))
            .arg(ranks_text(behind));
    }
    const CollectiveRow* telling = nullptr;
    double inside_s = 0;
    double waited_s = 0;
    for (const CollectiveRow& row : report.rows) {
        const double weight = row.mean_s * double(row.operations);
        inside_s += weight;
        waited_s += weight * row.wait_share;
        const bool exact = row.matched >= kEnough && row.last_share >= kTelling;
        const bool bound = row.matched == 0 && row.wait_share >= kTelling / 2;
        if (row.last_rank >= 0 && (exact || bound) && row.wait_share >= 0.1 &&
            (telling == nullptr ||
             weight * row.wait_share > telling->mean_s * double(telling->operations) * telling->wait_share)) {
            telling = &row;
        }
    }
    if (telling != nullptr) {
        return CollectivesTab::tr("Rank %1 enters %2 last: the others wait for it %3 of their time there")
            .arg(QString::number(telling->last_rank), qs(report.functions[telling->function]),
                 share_text(telling->wait_share));
    }
    return inside_s > 0 ? CollectivesTab::tr("%1 of the time in NCCL is waiting for other ranks")
                              .arg(share_text(waited_s / inside_s))
                        : QString();
}

CollectivesTab::CollectivesTab(QWidget* parent) : NcclTab(parent), stack_(new QStackedWidget(this)) {
    setObjectName(u"collectivesTab"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->addWidget(stack_);
    stack_->addWidget(make_absence());
    stack_->addWidget(make_pictures());
}

QWidget* CollectivesTab::make_pictures() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(10);
    communicators_ = new ComboBox(page);
    communicators_->setObjectName(u"collectiveCommunicator"_s);
    communicators_->setAccessibleName(tr("Communicator"));
    communicators_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    communicators_->setMaximumWidth(300);
    summary_ = make_label({}, page);
    summary_->setObjectName(u"collectiveSummary"_s);
    summary_->setMinimumWidth(120);
    legend_ = make_label({}, page);
    legend_->setTextFormat(Qt::RichText);
    bar->addWidget(communicators_);
    bar->addWidget(summary_, 1);
    bar->addWidget(legend_);
    layout->addLayout(bar);

    auto* rows = new QSplitter(Qt::Vertical, page);
    rows->setObjectName(u"collectiveRows"_s);
    auto* card = new QFrame(rows);
    card->setProperty("role", u"card"_s);
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 1, 1, 1);
    timeline_ = new CollectiveTimeline(card);
    connect(timeline_, &CollectiveTimeline::rankChosen, this, &CollectivesTab::rankChosen);
    connect(timeline_, &CollectiveTimeline::rangeChosen, this, &CollectivesTab::rangeChosen);
    no_timeline_ =
        make_label(tr("These files do not say when an operation began: set NCCL_INSPECTOR_DUMP_VERBOSE=1 "
                      "for a timeline."),
                   card, "muted");
    no_timeline_->setObjectName(u"collectiveNoTimeline"_s);
    no_timeline_->setMargin(8);
    no_timeline_->setWordWrap(true);
    inside->addWidget(timeline_);
    inside->addWidget(no_timeline_);
    auto* columns = new QSplitter(Qt::Horizontal, rows);
    columns->setObjectName(u"collectiveColumns"_s);
    table_ = new FittedTable(columns);
    tune_table(table_, "collectiveTable", tr("Operations by function and size"));
    using Model = CollectiveTableModel;
    table_->set_droppable({Model::Network, Model::Shortest, Model::Longest, Model::Algorithm,
                           Model::AlgorithmBandwidth, Model::Ranks, Model::Slowest, Model::LinkShare});
    model_ = new CollectiveTableModel(this);
    proxy_ = new QSortFilterProxyModel(this);
    proxy_->setSourceModel(model_);
    proxy_->setSortRole(CollectiveTableModel::SortRole);
    table_->setModel(proxy_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    auto* plot_card = new QFrame(columns);
    plot_card->setProperty("role", u"card"_s);
    auto* plot_layout = new QVBoxLayout(plot_card);
    plot_layout->setContentsMargins(1, 4, 1, 1);
    sizes_ = new SizePlot(plot_card);
    plot_layout->addWidget(sizes_);
    columns->addWidget(table_);
    columns->addWidget(plot_card);
    columns->setStretchFactor(0, 3);
    columns->setStretchFactor(1, 2);
    columns->setSizes({660, 440});
    columns->setChildrenCollapsible(false);
    columns->setHandleWidth(10);
    rows->addWidget(card);
    rows->addWidget(columns);
    rows->setStretchFactor(0, 3);
    rows->setStretchFactor(1, 2);
    rows->setChildrenCollapsible(false);
    rows->setHandleWidth(8);
    layout->addWidget(rows, 1);
    connect(communicators_, &QComboBox::currentIndexChanged, this, &CollectivesTab::refresh);
    return page;
}

QWidget* CollectivesTab::make_absence() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setSpacing(8);
    why_title_ = make_label(tr("The operations cannot be seen"), page, "emptyTitle");
    why_ = make_label({}, page, "emptyText");
    why_->setObjectName(u"collectivesWhy"_s);
    why_->setWordWrap(true);
    why_->setAlignment(Qt::AlignHCenter);
    why_->setFixedWidth(kTabTextWidth);
    calls_text_ = make_label({}, page, "muted");
    calls_text_->setObjectName(u"collectiveCallsText"_s);
    calls_ = new QTableView(page);
    tune_table(calls_, "collectiveCalls", tr("Calls that NCCL's lines list"));
    calls_->setModel(&calls_model_);
    calls_->setFixedWidth(kTabTextWidth);
    calls_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    layout->addStretch(2);
    layout->addWidget(why_title_, 0, Qt::AlignHCenter);
    layout->addWidget(why_, 0, Qt::AlignHCenter);
    layout->addWidget(calls_text_, 0, Qt::AlignHCenter);
    layout->addWidget(calls_, 6, Qt::AlignHCenter);
    layout->addStretch(3);
    return page;
}

void CollectivesTab::set_run(const LiveModel* run) {
    run_ = run;
}

void CollectivesTab::set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) {
    snapshot_ = snapshot;
    stale_ = true;
    if (isVisible()) {
        refresh();
    }
}

void CollectivesTab::set_selected(const std::vector<int>& ranks) {
    timeline_->set_selected(ranks);
}

void CollectivesTab::set_range(const TimeSpan& span, const std::shared_ptr<const CollectiveReport>& report) {
    if (span == range_ && report == in_range_) {
        return;
    }
    range_ = span;
    in_range_ = report;
    stale_ = true;
    if (isVisible()) {
        refresh();
    }
    timeline_->set_range(span);
}

std::shared_ptr<const CollectiveReport> CollectivesTab::report() const {
    const auto& report = has_range() && in_range_ ? in_range_ : snapshot_->collectives;
    return run_ != nullptr ? with_axes(report, *run_->mesh()) : report;
}

bool CollectivesTab::has_content() const {
    return snapshot_ && snapshot_->collectives && !snapshot_->collectives->empty();
}

void CollectivesTab::showEvent(QShowEvent* event) {
    NcclTab::showEvent(event);
    if (stale_) {
        refresh();
    }
}

void CollectivesTab::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        color_legend();
    }
    NcclTab::changeEvent(event);
}

int CollectivesTab::communicator() const {
    return communicators_->currentIndex() <= 0 ? -1 : communicators_->currentData().toInt();
}

void CollectivesTab::fill_communicators() {
    const auto& all = shown_->communicators;
    const QSignalBlocker blocker(communicators_);
    const QVariant chosen = communicators_->currentData();
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t left, std::size_t right) { return all[left].ranks > all[right].ranks; });
    communicators_->clear();
    communicators_->addItem(all.size() == 1 ? communicator_text(all.front()) : tr("All communicators"));
    for (std::size_t i = 0; i < order.size() && all.size() > 1; ++i) {
        communicators_->addItem(communicator_text(all[order[i]]), int(order[i]));
    }
    communicators_->setCurrentIndex(std::max(communicators_->findData(chosen), 0));
    communicators_->setVisible(!all.empty());
}

void CollectivesTab::color_legend() {
    if (!shown_) {
        return;
    }
    const bool dark = is_dark(palette());
    QStringList parts;
    for (const std::string& function : shown_->functions) {
        if (parts.size() < 8) {
            parts += QString(u"<span style=\"color:"_s % function_color(function, dark).name() %
                             u"\">■</span>&nbsp;"_s % qs(function).toHtmlEscaped());
        }
    }
    legend_->setText(parts.join(u"&nbsp;&nbsp; "_s));
}

// What NCCL's lines count, where nothing reports the operations.
void CollectivesTab::fill_calls() {
    calls_model_.clear();
    calls_model_.setHorizontalHeaderLabels({tr("Function"), tr("Size"), tr("Algorithm"), tr("Count")});
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    int least_rank = -1;
    for (const logs::Communicator& communicator : snapshot_->facts.communicators) {
        for (const logs::CommMember& member : communicator.members) {
            if (member.calls > 0 && (least_rank < 0 || member.calls < least)) {
                least = member.calls;
                least_rank = member.rank;
            }
            most = std::max(most, member.calls);
        }
        for (const logs::TuningFact& tuning : communicator.tuning) {
            const QString how = qs(tuning.algorithm + ' ' + tuning.protocol);
            QList<QStandardItem*> row;
            for (const QString& text :
                 {tuning.function.empty() ? u"–"_s : qs(tuning.function), size_text(double(tuning.bytes)),
                  how, count_text(qint64(tuning.times))}) {
                row += new QStandardItem(text);
            }
            calls_model_.appendRow(row);
        }
    }
    calls_text_->setText(most == 0 ? QString()
                         : least == most
                             ? tr("NCCL's lines list %1 calls of each rank.").arg(count_text(qint64(most)))
                             : tr("NCCL's lines list %1 to %2 calls a rank; the fewest: rank %3.")
                                   .arg(count_text(qint64(least)), count_text(qint64(most)))
                                   .arg(least_rank));
    calls_text_->setVisible(most > 0);
    calls_->setVisible(calls_model_.rowCount() > 0);
    calls_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
}

QString CollectivesTab::summary_text(const CollectiveReport& report) const {
    if (range_ == TimeSpan()) {
        return collectives_summary(report);
    }
    if (!has_range()) {
        return tr("Of the whole run: NCCL Inspector does not say when. %1").arg(collectives_summary(report));
    }
    if (!in_range_) {
        return tr("Reading what happened in this part of the run…");
    }
    return report.has_operations() ? collectives_summary(report)
                                   : tr("No operation of NCCL in this part of the run");
}

void CollectivesTab::refresh() {
    if (!snapshot_) {
        return;
    }
    stale_ = false;
    const QString why = collectives_absence(*snapshot_, run_);
    stack_->setCurrentIndex(why.isEmpty() ? 1 : 0);
    if (!why.isEmpty()) {
        why_->setText(why);
        // A wrapped label that is aligned gets the height of a single line from its layout.
        why_->ensurePolished();
        fit_height(why_, kTabTextWidth);
        fill_calls();
        return;
    }
    shown_ = report();
    fill_communicators();
    color_legend();
    const QString summary = summary_text(*shown_);
    const bool behind = std::any_of(shown_->ranks.begin(), shown_->ranks.end(),
                                    [](const ReportRank& rank) { return !rank.behind.empty(); });
    summary_->setText(summary);
    summary_->setToolTip(plain_text(summary));
    set_style_property(summary_, "role", behind ? u"fieldError"_s : u"muted"_s);
    const bool timed = std::any_of(shown_->ranks.begin(), shown_->ranks.end(), [](const ReportRank& rank) {
        return !rank.recent.empty() || !rank.open.empty() || !rank.behind.empty();
    });
    timeline_->setVisible(timed || !shown_->without_start);
    no_timeline_->setVisible(!timed && shown_->without_start);
    timeline_->set_report(shown_, run_ ? int(run_->state().ranks.size()) : 0, communicator());
    model_->set_report(shown_, communicator());
    table_->fit();
    sizes_->set_rows(shown_, model_->rows());
}

}  // namespace rankscope::gui
