// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/comparison_model.h>
#include <gui/models/run_column_texts.h>
#include <gui/plot/plot_files.h>
#include <gui/plot/x_log_button.h>
#include <gui/runs/compare_plot.h>
#include <gui/runs/compare_view.h>
#include <gui/runs/run_legend.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/check_chooser.h>
#include <gui/widgets/clear_button.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/archive/compare/comparison_text.h>
#include <remote/desk/archive/compare/run_comparison.h>

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr std::size_t kFirstPanels = 4;

}  // namespace

CompareView::CompareView(QThreadPool* pool, QWidget* parent)
    : QWidget(parent),
      job_(this, pool),
      values_(new ComparisonModel(this)),
      statistics_(new ComparisonModel(this)) {
    setObjectName(u"compareView"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(make_bar());
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "compareFault", this);
    progress_ = new NoticeBar(NoticeBar::Kind::News, "compareProgress", this);
    progress_->set_action(tr("&Cancel"));
    connect(progress_, &NoticeBar::actionTriggered, this, [this] {
        job_.cancel();
        progress_->set_text({});
        emit closed();
    });
    written_ = new NoticeBar(NoticeBar::Kind::News, "compareWritten", this);
    written_->set_dismissable(true);
    for (NoticeBar* notice : {fault_, progress_, written_}) {
        layout->addWidget(notice);
    }
    legend_ = new RunLegend(this);
    layout->addWidget(legend_);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(u"compareSplitter"_s);
    splitter->setChildrenCollapsible(false);
    plot_ = new ComparePlot(splitter);
    splitter->addWidget(plot_);
    splitter->addWidget(make_tables());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({420, 260});
    layout->addWidget(splitter, 1);
    setFocusProxy(plot_);
    connect(log_, &QToolButton::toggled, plot_, &ComparePlot::set_x_log);
    connect(plot_, &ComparePlot::xLogChanged, log_, &QToolButton::setChecked);
    plot_->files()->fill(export_->menu());
    connect(plot_->files(), &PlotFiles::exported, this, [this](const QString& path, const QString& problem) {
        written_->set_text(problem.isEmpty() ? tr("Written: %1").arg(path) : QString());
        if (!problem.isEmpty()) {
            fault_->set_text(problem);
        }
    });
    auto* back = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    back->setContext(Qt::WidgetWithChildrenShortcut);
    connect(back, &QShortcut::activated, this, &CompareView::closed);
}

QWidget* CompareView::make_bar() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* back = make_button(tr("← &Runs"), "compareBack", bar);
    back->setToolTip(tr("Back to the list (Esc)"));
    layout->addWidget(back);
    title_ = make_label({}, bar, "pageTitle");
    layout->addWidget(title_);
    layout->addStretch();
    bands_ = new QCheckBox(tr("&Mean ± spread of groups"), bar);
    bands_->setObjectName(u"compareBands"_s);
    layout->addWidget(bands_);
    choose_ = new CheckChooser(tr("Metr&ics"), "compareMetrics", bar);
    choose_->setToolTip(tr("Which metrics are shown; those that all runs report come first"));
    layout->addWidget(choose_);
    axis_ = new ComboBox(bar);
    axis_->setObjectName(u"compareAxis"_s);
    axis_->setAccessibleName(tr("Align curves"));
    const std::array<std::pair<QString, CurveAxis>, 3> axes{{{tr("By step"), CurveAxis::Step},
                                                             {tr("By epoch"), CurveAxis::Epoch},
                                                             {tr("By time"), CurveAxis::Time}}};
    for (const auto& [text, axis] : axes) {
        axis_->addItem(text, int(axis));
    }
    layout->addWidget(axis_);
    log_ = make_x_log_button("compareXLog", bar);
    layout->addWidget(log_);
    export_ = make_button(tr("E&xport"), "compareExport", bar);
    export_->setToolTip(tr("The curves as a picture or a table"));
    auto* formats = new QMenu(export_);
    formats->setObjectName(u"compareExportMenu"_s);
    export_->setMenu(formats);
    layout->addWidget(export_);
    connect(choose_, &CheckChooser::chosen, this, [this](const QStringList& names) {
        metrics_.clear();
        for (const QString& name : names) {
            metrics_.push_back(ss(name));
        }
        show_metrics();
    });
    connect(back, &QPushButton::clicked, this, &CompareView::closed);
    connect(bands_, &QCheckBox::toggled, this, [this](bool on) { plot_->set_bands(on); });
    connect(axis_, &QComboBox::currentIndexChanged, this,
            [this](int at) { plot_->set_axis(CurveAxis(axis_->itemData(at).toInt())); });
    return bar;
}

QTableView* CompareView::make_table(const char* name, const QString& accessible_name,
                                    ComparisonModel* model) {
    auto* table = new QTableView(tabs_);
    tune_table(table, name, accessible_name);
    table->setModel(model);
    return table;
}

QWidget* CompareView::make_tables() {
    tabs_ = new QTabWidget(this);
    tabs_->setObjectName(u"compareTabs"_s);
    value_table_ = make_table("compareValues", tr("Differences"), values_);
    statistic_table_ = make_table("compareStatistics", tr("Statistics"), statistics_);
    tabs_->addTab(value_table_, tr("&Differences"));
    tabs_->addTab(statistic_table_, tr("S&tatistics"));
    auto* corner = new QWidget(tabs_);
    auto* layout = new QHBoxLayout(corner);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    target_ = new QLineEdit(corner);
    target_->setObjectName(u"compareTarget"_s);
    target_->setAccessibleName(tr("Target"));
    target_->setPlaceholderText(tr("Time to… acc1=0.95"));
    target_->setToolTip(tr("METRIC=VALUE and Enter: how long each run took to reach it"));
    add_clear_button(target_);
    target_->setFixedWidth(170);
    layout->addWidget(target_);
    all_ = new QCheckBox(tr("A&ll values"), corner);
    all_->setObjectName(u"compareAll"_s);
    all_->setToolTip(tr("Also what is the same in all runs"));
    layout->addWidget(all_);
    auto* copy_button = make_button(tr("&Copy as CSV"), "compareCopy", corner);
    layout->addWidget(copy_button);
    tabs_->setCornerWidget(corner);
    connect(all_, &QCheckBox::toggled, this, &CompareView::show_values);
    connect(copy_button, &QPushButton::clicked, this, &CompareView::copy);
    connect(target_, &QLineEdit::returnPressed, this, [this] {
        if (!target_->text().isEmpty() && !metric_target(ss(target_->text().trimmed()))) {
            fault_->set_text(tr("\"%1\" is not a metric and its value.").arg(target_->text()),
                             tr("Write for example acc1=0.95."));
            return;
        }
        tabs_->setCurrentWidget(statistic_table_);
        read();
    });
    return tabs_;
}

void CompareView::compare(const std::shared_ptr<RunStore>& store, const std::filesystem::path& store_file,
                          const std::vector<std::string>& run_ids) {
    store_ = store;
    store_file_ = store_file;
    run_ids_ = run_ids;
    metrics_.clear();
    comparison_.reset();
    plot_->set_comparison({}, {});
    legend_->set_titles({});
    values_->set_rows({}, {});
    statistics_->set_rows({}, {});
    title_->setText(tr("Compare %1 runs").arg(run_ids.size()));
    read();
}

void CompareView::read() {
    fault_->set_text({});
    written_->set_text({});
    progress_->set_text(tr("Reading %1 runs…").arg(run_ids_.size()));
    using Read = Result<std::shared_ptr<const RunComparison>>;
    job_.start(
        [this, store = store_, file = store_file_, ids = run_ids_,
         target = metric_target(ss(target_->text().trimmed()))](const JobHandle& handle) -> Read {
            std::map<std::string, RunLabels> labels;
            if (const auto labelled = RunLabelStore::open(file)) {
                labels = (*labelled)->all().ok() ? *(*labelled)->all() : labels;
            }
            auto read = compare_runs(
                *store, labels, ids, target,
                [&](std::size_t done) {
                    handle.post([this, done, total = ids.size()] {
                        progress_->set_text(tr("Reading runs: %1 of %2").arg(done).arg(total));
                    });
                },
                handle.stop());
            if (!read) {
                return read.failure();
            }
            return std::make_shared<const RunComparison>(std::move(*read));
        },
        [this](Read read) { take(std::move(read)); });
}

void CompareView::take(Result<std::shared_ptr<const RunComparison>> comparison) {
    progress_->set_text({});
    if (!comparison) {
        fault_->set_text(tr("The runs could not be compared."), failure_text(comparison.failure()));
        return;
    }
    comparison_ = *comparison;
    if (!comparison_->problems.empty()) {
        fault_->set_text(tr("Not everything could be compared; the rest is shown."),
                         failures_text(comparison_->problems));
    }
    const QStringList titles = run_titles(comparison_->runs);
    title_->setText(tr("Compare %1 runs").arg(comparison_->runs.size()));
    legend_->set_titles(titles);
    if (metrics_.empty()) {
        metrics_ = default_metrics();
    }
    plot_->set_comparison(comparison_, titles);
    fill_metrics();
    show_metrics();
    show_values();
    statistics_->set_rows(titles, statistic_rows(*comparison_));
    for (QTableView* table : {value_table_, statistic_table_}) {
        // Runs share the width that is there; those that do not fit are reached by scrolling.
        constexpr int kLeastWidth = 150;
        table->horizontalHeader()->setMinimumSectionSize(kLeastWidth);
        table->setColumnWidth(ComparisonModel::Section, kLeastWidth);
        table->setColumnWidth(ComparisonModel::Key, 230);
        const int columns = table->model()->columnCount();
        for (int column = ComparisonModel::FIRST_RUN; column < columns; ++column) {
            table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
        }
    }
}

std::vector<std::string> CompareView::default_metrics() const {
    static const std::array<const char*, 6> first{"loss",     "acc1",         "val_loss",
                                                  "val_acc1", "images_per_s", "lr"};
    std::vector<std::string> chosen;
    const auto reported = [this](const std::string& name) {
        return std::any_of(comparison_->metrics.begin(), comparison_->metrics.end(),
                           [&](const ComparedMetric& metric) { return metric.name == name; });
    };
    for (const char* name : first) {
        if (chosen.size() < kFirstPanels && reported(name)) {
            chosen.emplace_back(name);
        }
    }
    for (const ComparedMetric& metric : comparison_->metrics) {
        if (chosen.size() < 2 && std::find(chosen.begin(), chosen.end(), metric.name) == chosen.end()) {
            chosen.push_back(metric.name);
        }
    }
    return chosen;
}

void CompareView::fill_metrics() {
    std::vector<CheckChooser::Entry> entries;
    for (const ComparedMetric& metric : comparison_->metrics) {
        const QString title = run_metric_title(metric.name);
        const QString name = qs(metric.name);
        entries.push_back({name, title == name ? name : QString(title % u" ("_s % name % u')')});
    }
    QStringList shown;
    for (const std::string& name : metrics_) {
        shown += qs(name);
    }
    choose_->set_entries(entries, shown);
    export_->setEnabled(!entries.empty());
}

void CompareView::show_metrics() {
    plot_->set_metrics(metrics_);
}

void CompareView::show_values() {
    if (!comparison_) {
        return;
    }
    auto rows = value_rows(*comparison_, all_->isChecked());
    if (rows.empty()) {
        rows.push_back({tr("All"), tr("Configuration, environment and versions are the same."), {}, false});
    }
    values_->set_rows(run_titles(comparison_->runs), std::move(rows));
}

void CompareView::copy() {
    if (comparison_) {
        copy_to_clipboard(qs(comparison_csv(*comparison_, all_->isChecked())));
    }
}

}  // namespace rankscope::gui
