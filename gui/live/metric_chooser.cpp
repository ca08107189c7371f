// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/live/metric_chooser.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/widgets/check_list_popup.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/runs/run/metric_summary.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kSearchFrom = 8;  ///< names
constexpr int kWidth = 360;
constexpr int kNameRole = Qt::UserRole;

/// "Learning rate (lr) · all ranks": what it is, what the program calls it, who reports it.
QString entry_text(const std::string& name, const QString& ranks) {
    const QString title = metric_title(name);
    const QString label = title == qs(name) ? title : QString(title % u" ("_s % qs(name) % u')');
    return label % u"  ·  "_s % ranks;
}

}  // namespace

MetricChooser::MetricChooser(QWidget* parent)
    : QToolButton(parent),
      popup_(new CheckListPopup(u"metric"_s, kWidth, this)),
      default_(make_button(tr("Show the &default"), "metricDefault", popup_)),
      formula_(make_button(tr("Add a &formula…"), "metricFormula", popup_)),
      more_(make_label({}, popup_, "muted")),
      model_(popup_->model()) {
    setObjectName(u"metricChooser"_s);
    setText(tr("&Metrics"));
    setToolTip(tr("Choose which of the reported metrics are shown"));
    popup_->search()->setAccessibleName(tr("Search the metrics"));
    popup_->list()->setAccessibleName(tr("Metrics to show"));
    more_->setObjectName(u"metricMore"_s);
    more_->setWordWrap(true);
    more_->hide();
    popup_->rows()->addWidget(more_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(default_);
    buttons->addWidget(formula_);
    buttons->addStretch(1);
    popup_->rows()->addLayout(buttons);
    connect(this, &QToolButton::clicked, popup_, &CheckListPopup::open);
    connect(model_, &QStandardItemModel::itemChanged, this, &MetricChooser::item_changed);
    connect(default_, &QPushButton::clicked, this, &MetricChooser::defaultRequested);
    connect(formula_, &QPushButton::clicked, this, [this] {
        popup_->hide();
        emit formulaRequested();
    });
}

QFrame* MetricChooser::popup() const {
    return popup_;
}

QListView* MetricChooser::list() const {
    return popup_->list();
}

QLineEdit* MetricChooser::search() const {
    return popup_->search();
}

void MetricChooser::set_metrics(const LiveData& run, const std::vector<std::string>& shown, bool is_default) {
    order_ = shown;
    updating_ = true;
    add_names(run);
    int checked = 0;
    for (int row = 0; row < model_->rowCount(); ++row) {
        QStandardItem* item = model_->item(row);
        const std::string name = ss(item->data(kNameRole).toString());
        const bool on = std::find(shown.begin(), shown.end(), name) != shown.end();
        item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
        checked += on ? 1 : 0;
    }
    setText(tr("&Metrics %1 of %2").arg(checked).arg(model_->rowCount()));
    const std::uint64_t refused = run.state.metrics.refused();
    more_->setText(
        tr("More than %1 names: values with other names are in the run store only. Export the run to read "
           "them.")
            .arg(MetricNames::kMost));
    more_->setVisible(refused > 0);
    setEnabled(model_->rowCount() > 0);
    default_->setEnabled(!is_default);
    popup_->set_searchable(model_->rowCount() >= kSearchFrom);
    updating_ = false;
}

// One row per name in the order of first report; which ranks report it may change with every batch.
void MetricChooser::add_names(const LiveData& run) {
    const auto summaries = summarize_metrics(run.state);
    if (int(summaries.size()) < model_->rowCount()) {
        model_->removeRows(0, model_->rowCount());
    }
    for (std::size_t i = 0; i < summaries.size(); ++i) {
        if (int(i) == model_->rowCount()) {
            popup_->add_entry();
        }
        QStandardItem* item = model_->item(int(i));
        const QString ranks = qs(ranks_text(summaries[i].ranks, run.state.ranks.size()));
        const QString text = entry_text(summaries[i].name, ranks);
        if (item->text() != text) {
            item->setText(text);
            item->setData(qs(summaries[i].name), kNameRole);
            item->setToolTip(plain_text(text));
        }
    }
}

std::vector<std::string> MetricChooser::checked() const {
    std::vector<std::string> on;
    for (int row = 0; row < model_->rowCount(); ++row) {
        const QStandardItem* item = model_->item(row);
        if (item->checkState() == Qt::Checked) {
            on.push_back(ss(item->data(kNameRole).toString()));
        }
    }
    return on;
}

// What was shown keeps its place, and so does what was chosen but is not reported in this run.
void MetricChooser::item_changed() {
    if (updating_) {
        return;
    }
    const std::vector<std::string> on = checked();
    std::vector<std::string> offered;
    for (int row = 0; row < model_->rowCount(); ++row) {
        offered.push_back(ss(model_->item(row)->data(kNameRole).toString()));
    }
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<std::string> names;
    for (const std::string& name : order_) {
        if (has(on, name) || !has(offered, name)) {
            names.push_back(name);
        }
    }
    for (const std::string& name : on) {
        if (!has(names, name)) {
            names.push_back(name);
        }
    }
    emit chosen(names);
}

}  // namespace rankscope::gui
