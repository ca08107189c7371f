// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/live/metric_chooser.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/run/metric_summary.h>

#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QScreen>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <initializer_list>

namespace rankscope::gui {

namespace {

constexpr int kSearchFrom = 8;  ///< names
constexpr int kMostRows = 14;
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
      popup_(new QFrame(this, Qt::Popup)),
      model_(new QStandardItemModel(this)),
      proxy_(new QSortFilterProxyModel(this)) {
    setObjectName(u"metricChooser"_s);
    setText(tr("&Metrics"));
    setToolTip(tr("Choose which of the reported metrics are shown"));
    make_popup();
    connect(this, &QToolButton::clicked, this, &MetricChooser::open_popup);
}

void MetricChooser::make_popup() {
    popup_->setObjectName(u"metricPopup"_s);
    popup_->setFrameShape(QFrame::StyledPanel);
    popup_->setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(popup_);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    search_ = new QLineEdit(popup_);
    search_->setObjectName(u"metricSearch"_s);
    search_->setAccessibleName(tr("Search the metrics"));
    search_->setPlaceholderText(tr("Search"));
    search_->setClearButtonEnabled(true);
    list_ = new QListView(popup_);
    list_->setObjectName(u"metricList"_s);
    list_->setAccessibleName(tr("Metrics to show"));
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setUniformItemSizes(true);
    proxy_->setSourceModel(model_);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    list_->setModel(proxy_);
    default_ = make_button(tr("Show the &default"), "metricDefault", popup_);
    layout->addWidget(search_);
    layout->addWidget(list_, 1);
    more_ = make_label({}, popup_, "muted");
    more_->setObjectName(u"metricMore"_s);
    more_->setWordWrap(true);
    more_->hide();
    layout->addWidget(more_);
    formula_ = make_button(tr("Add a &formula…"), "metricFormula", popup_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(default_);
    buttons->addWidget(formula_);
    buttons->addStretch(1);
    layout->addLayout(buttons);
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, proxy_, &QSortFilterProxyModel::setFilterFixedString);
    connect(model_, &QStandardItemModel::itemChanged, this, &MetricChooser::item_changed);
    connect(default_, &QPushButton::clicked, this, &MetricChooser::defaultRequested);
    connect(formula_, &QPushButton::clicked, this, [this] {
        popup_->hide();
        emit formulaRequested();
    });
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
    search_->setVisible(model_->rowCount() >= kSearchFrom);
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
            auto* added = new QStandardItem;
            added->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
            model_->appendRow(added);
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

void MetricChooser::open_popup() {
    search_->clear();
    // The style sheet changes the heights of all parts, and the popup may not have been shown yet.
    for (QWidget* part : std::initializer_list<QWidget*>{popup_, search_, list_, default_, formula_}) {
        part->ensurePolished();
    }
    const int rows = std::clamp(model_->rowCount(), 1, kMostRows);
    const int row = model_->rowCount() > 0 ? list_->sizeHintForRow(0) : fontMetrics().height() + 4;
    list_->setFixedHeight(rows * row + 2 * list_->frameWidth() + 2);
    popup_->setFixedWidth(kWidth);
    popup_->layout()->invalidate();
    popup_->resize(kWidth, popup_->sizeHint().height());  // adjustSize() makes it at least 100 high
    QPoint corner = mapToGlobal(QPoint(width() - popup_->width(), height() + 2));
    if (const QScreen* at = screen()) {
        const QRect room = at->availableGeometry();
        corner.setX(
            std::clamp(corner.x(), room.left(), std::max(room.left(), room.right() - popup_->width())));
        corner.setY(std::min(corner.y(), std::max(room.top(), room.bottom() - popup_->height())));
    }
    popup_->move(corner);
    popup_->show();
    list_->setCurrentIndex(proxy_->index(0, 0));
    if (search_->isVisible()) {
        search_->setFocus(Qt::PopupFocusReason);
    } else {
        list_->setFocus(Qt::PopupFocusReason);
    }
}

bool MetricChooser::eventFilter(QObject* object, QEvent* event) {
    if (object == search_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down) {
            list_->setFocus(Qt::TabFocusReason);
            list_->setCurrentIndex(proxy_->index(0, 0));
            return true;
        }
        const QModelIndex first = proxy_->index(0, 0);
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && first.isValid()) {
            const bool on = first.data(Qt::CheckStateRole).toInt() == Qt::Checked;
            proxy_->setData(first, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
            return true;
        }
    }
    return QToolButton::eventFilter(object, event);
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
