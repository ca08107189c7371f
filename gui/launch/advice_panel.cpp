// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/advice_panel.h>
#include <gui/launch/rate_curve.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QResizeEvent>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kNarrowest = 200;  ///< before the first layout

QString rate(double value) {
    return QString::number(value, 'g', 4);
}

}  // namespace

AdvicePanel::AdvicePanel(QWidget* parent) : QWidget(parent), curve_(new RateCurve(this)) {
    setObjectName(u"launchAdvice"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 2, 0, 2);
    layout->setSpacing(4);
    batch_ = make_label({}, this, "muted");
    batch_->setObjectName(u"adviceBatch"_s);
    scaling_ = make_label({}, this, "muted");
    scaling_->setObjectName(u"adviceScaling"_s);
    time_ = make_label({}, this, "muted");
    time_->setObjectName(u"adviceTime"_s);
    cost_ = make_label({}, this, "muted");
    cost_->setObjectName(u"adviceCost"_s);
    memory_ = make_label({}, this, "muted");
    memory_->setObjectName(u"adviceMemory"_s);
    for (QLabel* label : {batch_, scaling_, time_, cost_, memory_}) {
        label->setWordWrap(true);
    }
    scale_ = make_button(tr("Scale the rate"), "adviceScale", this);
    layout->addWidget(batch_);
    layout->addWidget(scaling_);
    layout->addWidget(scale_, 0, Qt::AlignLeft);
    layout->addWidget(time_);
    layout->addWidget(cost_);
    layout->addWidget(memory_);
    layout->addWidget(curve_);
    time_->hide();
    cost_->hide();
    memory_->hide();
    connect(scale_, &QPushButton::clicked, this, &AdvicePanel::scaleRequested);
    set_advice(std::nullopt);
}

int AdvicePanel::height_here() const {
    return layout()->totalHeightForWidth(std::max(width(), kNarrowest));
}

QSize AdvicePanel::sizeHint() const {
    return {QWidget::sizeHint().width(), height_here()};
}

QSize AdvicePanel::minimumSizeHint() const {
    return {QWidget::minimumSizeHint().width(), height_here()};
}

void AdvicePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) {
        updateGeometry();
    }
}

void AdvicePanel::set_advice(const std::optional<TrainingAdvice>& advice) {
    setVisible(advice.has_value());
    if (!advice) {
        return;
    }
    const QLocale locale;
    QString product = locale.toString(qlonglong(advice->batch_size));
    product += advice->divided ? tr(" × %n replica(s)", nullptr, advice->world_size)
                               : tr(" × %n rank(s)", nullptr, advice->world_size);
    if (advice->accumulated > 1) {
        product += tr(" × %1 batches").arg(locale.toString(qlonglong(advice->accumulated)));
    }
    const QString all = locale.toString(qlonglong(advice->global_batch));
    QString batch = tr("Global batch: %1 = %2").arg(product, all);
    if (advice->steps_per_epoch) {
        batch += tr("; %1 updates per epoch").arg(locale.toString(qlonglong(*advice->steps_per_epoch)));
    }
    batch_->setText(batch);
    if (advice->scaled_lr) {
        scaling_->setText(tr("By linear scaling, %1 for %2 is %3 for %4.")
                              .arg(rate(advice->lr), locale.toString(qlonglong(advice->batch_size)),
                                   rate(*advice->scaled_lr), all));
        scale_->setToolTip(tr("Sets reference_batch: the rate follows the number of ranks"));
    } else if (advice->highest_lr != advice->lr) {
        scaling_->setText(
            tr("The rate is scaled from %1 to %2.").arg(rate(advice->lr), rate(advice->highest_lr)));
    }
    scaling_->setVisible(advice->scaled_lr || advice->highest_lr != advice->lr);
    scale_->setVisible(advice->scaled_lr.has_value());
    curve_->set_points(advice->curve);
}

void AdvicePanel::set_epoch_time(const QString& text) {
    time_->setText(text);
    time_->setVisible(!text.isEmpty());
}

void AdvicePanel::set_cost(const LaunchPlan& plan, const std::optional<MemoryNeed>& need) {
    const std::optional<engine::TrainingCost>& cost = plan.cost;
    cost_->setVisible(cost.has_value());
    if (cost) {
        const auto& published = cost->published_accuracy;
        cost_->setText(qs(cost_text(*cost) + (published ? "; " + published_text(*published) : "")));
        cost_->setToolTip(
            tr("Matrix products and convolutions of the forward and the backward pass, "
               "two operations for each multiply-add"));
    }
    memory_->setVisible(cost.has_value());
    if (!cost) {
        return;
    }
    const bool gpu = on_gpus(plan);
    QString kinds = qs(memory_text(*cost, gpu) + (cost->sent > 0 ? "; " + sent_text(*cost) : ""));
    kinds[0] = kinds[0].toUpper();
    if (!need) {
        memory_->setText(kinds);
    } else {
        memory_->setText(need->fits() ? tr("A rank needs about %1 of the %2 that its GPU has for it.")
                                            .arg(bytes_text(need->needed.total()), bytes_text(need->there))
                                      : qs(memory_note(need)));
    }
    if (gpu) {
        kinds += u"; "_s + tr("CUDA and its libraries about %1").arg(bytes_text(cost->memory.libraries));
    }
    memory_->setToolTip(kinds + u". "_s + tr("An estimate, right within a quarter."));
    memory_->setProperty("role", !need || need->fits() ? u"muted"_s : u"fieldError"_s);
    memory_->style()->unpolish(memory_);
    memory_->style()->polish(memory_);
}

}  // namespace rankscope::gui
