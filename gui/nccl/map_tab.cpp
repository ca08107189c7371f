// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/map_tab.h>
#include <gui/nccl/transport_texts.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kSample = 30;  ///< of a line, in the legend
constexpr int kShownFindings = 3;

QString communicator_text(const logs::Communicator& communicator) {
    const QString ranks =
        communicator.nranks == 1 ? MapTab::tr("1 rank") : MapTab::tr("%1 ranks").arg(communicator.nranks);
    const QString id = communicator.id.empty() ? MapTab::tr("Communicator") : qs(communicator.id);
    return id + u" · "_s + ranks;
}

}  // namespace

TransportLegend::TransportLegend(QWidget* parent) : QWidget(parent) {
    setObjectName(u"mapLegend"_s);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TransportLegend::set_kinds(const std::set<logs::TransportKind>& kinds, bool pxn) {
    kinds_ = kinds;
    pxn_ = pxn;
    QStringList names;
    for (const logs::TransportKind kind : kinds_) {
        names += transport_text(kind);
    }
    setAccessibleName(tr("Legend: %1").arg(names.join(u", "_s)));
    setToolTip(plain_text(names.join(u'\n')));
    update();
}

QSize TransportLegend::sizeHint() const {
    return {400, fontMetrics().height() + 4};
}

void TransportLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors colors = theme_colors(palette());
    double x = 2;
    const double y = height() / 2.0;
    const auto name = [&](const QString& text) {
        painter.setPen(colors.text);
        painter.drawText(QRectF(x, 0, fontMetrics().horizontalAdvance(text) + 2, height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        x += fontMetrics().horizontalAdvance(text) + 16;
    };
    for (const logs::TransportKind kind : kinds_) {
        painter.setPen(transport_pen(kind, colors, 2));
        painter.drawLine(QPointF(x, y), QPointF(x + kSample, y));
        x += kSample + 5;
        name(transport_text(kind));
    }
    if (pxn_) {
        painter.setPen(QPen(colors.text, 1.5));
        painter.drawEllipse(QPointF(x + 5, y), 4, 4);
        x += 14;
        name(tr("PXN: another GPU's device"));
    }
}

MapTab::MapTab(QThreadPool* pool, QWidget* parent)
    : NcclTab(parent), legend_(new TransportLegend(this)), view_(new MapView(this)), job_(this, pool) {
    setObjectName(u"ncclMapTab"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 6, 4, 0);
    layout->setSpacing(4);
    bar_ = make_bar();
    bar_->setObjectName(u"mapBar"_s);
    layout->addWidget(bar_);
    layout->addWidget(legend_);
    findings_ = new QListWidget(this);
    findings_->setObjectName(u"mapFindings"_s);
    findings_->setAccessibleName(tr("Where NCCL fell back to a slower path"));
    findings_->setFrameShape(QFrame::NoFrame);
    findings_->setTextElideMode(Qt::ElideRight);
    findings_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    findings_->hide();
    layout->addWidget(findings_);
    none_ =
        make_label(tr("No communicator was set up yet: NCCL prints its rings when it is."), this, "muted");
    none_->setObjectName(u"mapNone"_s);
    none_->setAlignment(Qt::AlignCenter);
    none_->setWordWrap(true);
    none_->hide();
    layout->addWidget(none_, 1);
    layout->addWidget(view_, 1);
    setFocusProxy(view_);
    connect(view_, &MapView::lineRequested, this, &MapTab::lineRequested);
    connect(findings_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        const auto place = item->data(Qt::UserRole).toList();
        emit lineRequested(place.at(0).toUInt(), place.at(1).toULongLong());
    });
    connect(findings_, &QListWidget::itemClicked, findings_, &QListWidget::itemActivated);
}

QWidget* MapTab::make_bar() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    const auto make = [&](const QString& name, const char* object_name, const QString& tip) {
        auto* box = new ComboBox(bar);
        box->setObjectName(QString::fromLatin1(object_name));
        box->setAccessibleName(name);
        box->setToolTip(tip);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        layout->addWidget(box);
        return box;
    };
    communicators_ = make(tr("Communicator"), "mapCommunicator", tr("The communicator that is shown"));
    communicators_->setMaximumWidth(330);
    show_ = make(tr("Connections"), "mapShow", tr("Which connections are shown"));
    show_->addItem(tr("Rings and trees"), int(MapShow::RingsAndTrees));
    show_->addItem(tr("Rings"), int(MapShow::Rings));
    show_->addItem(tr("Trees"), int(MapShow::Trees));
    show_->addItem(tr("All connections"), int(MapShow::All));
    channels_ = make(tr("Channel"), "mapChannel", tr("The channel that is shown"));
    channels_->addItem(tr("All channels"), -1);
    layout->addStretch(1);
    connect(communicators_, &QComboBox::activated, this, [this](int index) {
        communicator_ = std::size_t(communicators_->itemData(index).toULongLong());
        chosen_ = true;
        computed_.reset();
        compute();
    });
    connect(show_, &QComboBox::activated, this, [this] { show_chosen_ = true; });
    connect(show_, &QComboBox::currentIndexChanged, this, &MapTab::filter_changed);
    connect(channels_, &QComboBox::currentIndexChanged, this, &MapTab::filter_changed);
    return bar;
}

void MapTab::set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) {
    if (snapshot == snapshot_) {
        return;
    }
    // Another run: the choice was about the last one.
    if (snapshot_ && snapshot->sources != snapshot_->sources &&
        snapshot->facts.communicators.size() < snapshot_->facts.communicators.size()) {
        chosen_ = false;
    }
    snapshot_ = snapshot;
    if (isVisible()) {
        compute();
    }
}

void MapTab::showEvent(QShowEvent* event) {
    NcclTab::showEvent(event);
    compute();
}

void MapTab::fill_communicators() {
    const QSignalBlocker blocker(communicators_);
    communicators_->clear();
    const auto& all = snapshot_->facts.communicators;
    std::size_t largest = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        communicators_->addItem(communicator_text(all[i]), qulonglong(i));
        largest = all[i].nranks > all[largest].nranks ? i : largest;
    }
    if (!chosen_ || communicator_ >= all.size()) {
        communicator_ = largest;
        chosen_ = false;
    }
    communicators_->setCurrentIndex(int(communicator_));
}

// On a thread: a thousand ranks have many connections.
void MapTab::compute() {
    if (!snapshot_ || snapshot_ == computed_) {
        return;
    }
    computed_ = snapshot_;
    fill_communicators();
    const bool none = snapshot_->facts.communicators.empty();
    none_->setVisible(none);
    for (QWidget* part : std::initializer_list<QWidget*>{bar_, legend_, view_}) {
        part->setVisible(!none);
    }
    if (none) {
        job_.cancel();
        show_picture(nullptr);
        return;
    }
    job_.start(
        [snapshot = snapshot_, communicator = communicator_](const JobHandle&) {
            auto picture = std::make_shared<MapPicture>();
            picture->snapshot = snapshot;
            picture->communicator = communicator;
            picture->map = logs::map_of(snapshot->facts, picture->comm());
            picture->findings = logs::transport_findings(snapshot->facts, picture->map);
            return std::shared_ptr<const MapPicture>(std::move(picture));
        },
        [this](const std::shared_ptr<const MapPicture>& picture) { show_picture(picture); });
}

void MapTab::show_picture(const std::shared_ptr<const MapPicture>& picture) {
    std::set<logs::TransportKind> kinds;
    bool pxn = false;
    if (picture) {
        for (const logs::MapLink& link : picture->map.links) {
            kinds.insert(link.kind);
            pxn = pxn || link.proxy_rank >= 0;
        }
    }
    legend_->set_kinds(kinds, pxn);
    if (picture && !show_chosen_) {  // the trees of many machines hide their rings
        const bool large = std::size_t(picture->comm().nranks) > MapView::kOpenRanks;
        const QSignalBlocker blocker(show_);
        show_->setCurrentIndex(show_->findData(int(large ? MapShow::Rings : MapShow::RingsAndTrees)));
    }
    view_->set_picture(picture);
    fill_channels();
    show_findings();
}

void MapTab::fill_channels() {
    const QSignalBlocker blocker(channels_);
    const int chosen = channels_->currentData().toInt();
    channels_->clear();
    channels_->addItem(tr("All channels"), -1);
    if (view_->picture()) {
        for (const int channel : view_->picture()->map.channels) {
            channels_->addItem(tr("Channel %1").arg(channel), channel);
        }
    }
    channels_->setCurrentIndex(std::max(0, channels_->findData(chosen)));
    filter_changed();
}

void MapTab::filter_changed() {
    view_->set_filter({channels_->currentData().toInt(), MapShow(show_->currentData().toInt())});
}

void MapTab::show_findings() {
    findings_->clear();
    const MapPicture* picture = view_->picture();
    findings_->setVisible(picture && !picture->findings.empty());
    if (!picture) {
        return;
    }
    const QIcon sign = check_icon(CheckStatus::Warn, theme_colors(palette()));
    for (const logs::TransportFinding& finding : picture->findings) {
        const QString title = finding_title(finding, picture->snapshot->facts);
        auto* item = new QListWidgetItem(sign, title + u". "_s + finding_cost(finding), findings_);
        item->setToolTip(
            plain_text(title + u"\n"_s + finding_cost(finding) + u"\n"_s + tr("Click: show the line")));
        item->setData(Qt::UserRole,
                      QVariantList{finding.place.file, QVariant::fromValue(qulonglong(finding.place.line))});
    }
    const int rows = std::min(findings_->count(), kShownFindings);
    findings_->setFixedHeight(rows * std::max(findings_->sizeHintForRow(0), fontMetrics().height() + 4) + 4);
}

}  // namespace rankscope::gui
