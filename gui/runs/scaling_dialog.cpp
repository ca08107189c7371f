// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/models/run_column_texts.h>
#include <gui/plain_text.h>
#include <gui/plot/plot_files.h>
#include <gui/runs/scaling_dialog.h>
#include <gui/runs/scaling_plot.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <gui/widgets/quiet_header.h>

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

namespace rankscope::gui {

namespace {

enum Column {
    kRanks,
    kThroughput,
    kRange,
    kSpeedup,
    kEfficiency,
    kCompute,
    kData,
    kComm,
    kOutcome,
    kColumns
};
constexpr int kMostRanks = 4096;
constexpr int kNarrowest = 56;  ///< column

QString share_text(double part, const StepShares& shares) {
    return shares.step_ms > 0 ? percent_text(part / shares.step_ms, 0) : u"–"_s;
}

}  // namespace

ScalingDialog::ScalingDialog(Setting setting, const QString& name, QWidget* parent)
    : QDialog(parent), setting_(std::move(setting)), job_(this, setting_.pool) {
    setObjectName(u"scalingDialog"_s);
    setWindowTitle(tr("Scaling run of %1").arg(name.left(60)));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    choices_ = make_choices();
    layout->addWidget(choices_);
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "scalingFault", this);
    layout->addWidget(fault_);
    state_ = make_label({}, this, "muted");
    state_->setObjectName(u"scalingState"_s);
    state_->setWordWrap(true);
    layout->addWidget(state_);
    plot_ = new ScalingPlot(this);
    layout->addWidget(plot_, 3);
    table_ = new QTableWidget(0, kColumns, this);
    tune_table(table_, "scalingTable", tr("Results by number of ranks"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setHorizontalHeaderLabels({tr("Ranks"), tr("Throughput"), tr("Middle half"), tr("Speed-up"),
                                       tr("Efficiency"), tr("Compute"), tr("Data"), tr("Communication"),
                                       tr("Outcome")});
    for (int column = 0; column < kOutcome; ++column) {
        table_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    table_->horizontalHeader()->setMinimumSectionSize(kNarrowest);
    table_->horizontalHeader()->setStretchLastSection(true);
    layout->addWidget(table_, 2);
    auto* buttons = new QHBoxLayout;
    export_ = make_button(tr("E&xport"), "scalingExport", this);
    export_->setToolTip(tr("The plots as a picture, or their values as a table"));
    export_->setMenu(new QMenu(export_));
    plot_->files()->fill(export_->menu());
    export_->setEnabled(false);
    buttons->addWidget(export_);
    buttons->addStretch();
    start_ = make_button(tr("&Start"), "scalingStart", this, "primary");
    close_ = make_button(tr("&Close"), "scalingClose", this);
    buttons->addWidget(start_);
    buttons->addWidget(close_);
    layout->addLayout(buttons);
    connect(start_, &QPushButton::clicked, this, [this] { running_ ? stop() : start(); });
    connect(close_, &QPushButton::clicked, this, &ScalingDialog::reject);
    connect(plot_->files(), &PlotFiles::exported, this, [this](const QString& path, const QString& problem) {
        fault_->set_text(problem);
        if (problem.isEmpty()) {
            state_->setText(tr("Written: %1").arg(path));
        }
    });
    resize(980, 660);
    update_state();
}

// What runs is stopped on its nodes, on its thread; the pool waits for it.
ScalingDialog::~ScalingDialog() {
    stop_.request_stop();
}

QWidget* ScalingDialog::make_choices() {
    auto* box = new QWidget(this);
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    const auto add = [&](const QString& text, QWidget* editor, const char* name) {
        QLabel* label = make_label(text, box);
        label->setBuddy(editor);
        editor->setObjectName(QString::fromLatin1(name));
        editor->setAccessibleName(QString(text).remove(u'&'));
        layout->addWidget(label);
        layout->addWidget(editor);
    };
    ranks_ = new QLineEdit(box);
    ranks_->setPlaceholderText(tr("1, 2, 4 … all"));
    ranks_->setMaximumWidth(150);
    seconds_ = new QDoubleSpinBox(box);
    leave_wheel_to_page(seconds_);
    seconds_->setRange(1, 86400);
    seconds_->setDecimals(0);
    seconds_->setValue(60);
    seconds_->setSuffix(tr(" s"));
    mode_ = new ComboBox(box);
    mode_->addItem(tr("Weak: each rank keeps its batch"), int(ScalingMode::Weak));
    mode_->addItem(tr("Strong: one batch for all ranks"), int(ScalingMode::Strong));
    add(tr("&Ranks"), ranks_, "scalingRanks");
    add(tr("&For each"), seconds_, "scalingSeconds");
    add(tr("&Mode"), mode_, "scalingMode");
    layout->addStretch();
    return box;
}

void ScalingDialog::set_request(ScalingRequest request) {
    request_ = std::move(request);
    can_start_ = true;
    state_->setText(
        tr("The job runs with each number of ranks, one after the other. Checkpoints and restarts are off; "
           "the runs are kept under one tag."));
    update_state();
}

bool ScalingDialog::read_ranks(std::vector<int>& ranks) {
    for (const QString& word : ranks_->text().split(u',', Qt::SkipEmptyParts)) {
        bool fine = false;
        const int value = word.trimmed().toInt(&fine);
        if (!fine || value < 1 || value > kMostRanks) {
            fault_->set_text(tr("Ranks: \"%1\" is not a number of ranks.").arg(word.trimmed()),
                             tr("Write for example 1, 2, 4."));
            ranks_->setFocus();
            return false;
        }
        ranks.push_back(value);
    }
    return true;
}

void ScalingDialog::start() {
    fault_->set_text({});
    ScalingRequest request = request_;
    request.ranks.clear();
    if (!read_ranks(request.ranks)) {
        return;
    }
    request.seconds = seconds_->value();
    request.mode = ScalingMode(mode_->currentData().toInt());
    show_result({});
    running_ = true;
    stop_ = {};
    update_state();
    job_.start(
        [this, request, setting = setting_, token = stop_.get_token()](const JobHandle& handle) {
            return run_scaling(
                request, setting.store, setting.store_file, setting.prompter,
                [&](const ScalingProgress& progress) {
                    const QString text =
                        tr("Ranks: %1, size %2 of %3: ")
                            .arg(progress.ranks)
                            .arg(progress.size + 1)
                            .arg(progress.sizes) +
                        (progress.measured_s < 0 ? tr("starting…")
                                                 : tr("measured %1 of %2")
                                                       .arg(whole_seconds_text(progress.measured_s),
                                                            whole_seconds_text(request.seconds)));
                    handle.post([this, text, so_far = progress.so_far, run_id = progress.run_id] {
                        state_->setText(text);
                        runs_.insert(run_id);
                        if (so_far.points.size() != result_.points.size()) {
                            show_result(so_far);
                            emit changed();
                        }
                    });
                },
                token);
        },
        [this](const Result<ScalingResult>& result) { take(result); });
}

void ScalingDialog::stop() {
    stop_.request_stop();
    state_->setText(tr("Stopping the ranks on all nodes…"));
    start_->setEnabled(false);
}

void ScalingDialog::take(const Result<ScalingResult>& result) {
    running_ = false;
    emit changed();
    if (!result) {
        fault_->set_text(tr("The scaling run did not start."), failure_text(result.failure()));
        state_->clear();
    } else {
        show_result(*result);
        state_->setText(tr("Stored with the tag %1.").arg(qs(result->tag)));
    }
    update_state();
    if (closing_) {
        QDialog::reject();
    }
}

void ScalingDialog::show_stored(const std::string& tag) {
    choices_->hide();
    state_->setText(tr("Reading %1…").arg(qs(tag)));
    job_.start(
        [setting = setting_, tag](const JobHandle& handle) -> Result<ScalingResult> {
            const auto labels = RunLabelStore::open(setting.store_file);
            const auto all =
                labels ? (*labels)->all() : Result<std::map<std::string, RunLabels>>(labels.failure());
            return all ? read_scaling(*setting.store, *all, tag, handle.stop())
                       : Result<ScalingResult>(all.failure());
        },
        [this](const Result<ScalingResult>& result) {
            if (!result) {
                state_->clear();
                fault_->set_text(tr("The scaling run cannot be shown."), failure_text(result.failure()));
                return;
            }
            show_result(*result);
            state_->setText(tr("%1: %2 scaling, %3")
                                .arg(qs(result->tag),
                                     result->mode == ScalingMode::Weak ? tr("weak") : tr("strong"),
                                     run_metric_title(result->unit)));
        });
}

void ScalingDialog::show_result(const ScalingResult& result) {
    result_ = result;
    plot_->set_points(result.points, result.unit);
    table_->setRowCount(int(result.points.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const ScalingPoint& point = result.points[std::size_t(row)];
        const auto set = [&](int column, const QString& text) {
            auto item = std::make_unique<QTableWidgetItem>(text);
            item->setTextAlignment(Qt::Alignment(column == kOutcome ? Qt::AlignLeft : Qt::AlignRight) |
                                   Qt::AlignVCenter);
            item->setToolTip(plain_text(text));
            table_->setItem(row, column, item.release());  // the table owns it
        };
        const auto value = [&](double number) {
            return std::isfinite(number) ? metric_value_text(result.unit, number) : u"–"_s;
        };
        set(kRanks, QString::number(point.ranks));
        set(kThroughput, value(point.throughput));
        set(kRange,
            std::isfinite(point.low) ? tr("%1 – %2").arg(value(point.low), value(point.high)) : u"–"_s);
        set(kSpeedup, std::isfinite(point.speedup) ? number_text(point.speedup, 2) : u"–"_s);
        set(kEfficiency, std::isfinite(point.efficiency) ? percent_text(point.efficiency, 0) : u"–"_s);
        const StepShares shares = point.shares.value_or(StepShares());  // none: the plot says so
        set(kCompute, share_text(shares.compute_ms, shares));
        set(kData, share_text(shares.data_ms, shares));
        set(kComm, share_text(shares.comm_ms, shares));
        set(kOutcome, point.failure.empty() ? tr("%1 steps measured").arg(point.steps) : qs(point.failure));
    }
    table_->resizeColumnsToContents();
    table_->setColumnWidth(kOutcome, 0);  // it takes what is left
    plot_->files()->set_name(result.tag.empty() ? u"scaling"_s : qs(result.tag));
    export_->setEnabled(!result.points.empty());
}

void ScalingDialog::update_state() {
    start_->setVisible(can_start_);
    start_->setText(running_ ? tr("&Stop") : tr("&Start"));
    start_->setEnabled(true);
    choices_->setEnabled(!running_);
}

// A running one is stopped first, so that no rank is left; the window closes when it has.
void ScalingDialog::reject() {
    if (!running_) {
        QDialog::reject();
        return;
    }
    closing_ = true;
    stop();
}

}  // namespace rankscope::gui
