// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula_series.h>
#include <gui/live/formula_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kWidth = 520;
constexpr int kMostTitle = 60;           ///< characters
constexpr std::size_t kMostNames = 100;  ///< in a menu

/// As a formula names it.
QString quoted(const std::string& name) {
    const auto formula = Formula::parse(name);
    const bool plain = formula && formula->operands() == std::vector{FormulaOperand{name}};
    return plain ? qs(name) : QString(u'"' % qs(name) % u'"');
}

}  // namespace

FormulaDialog::FormulaDialog(const LiveData& run, const QString& text, QWidget* parent)
    : QDialog(parent),
      text_(new QLineEdit(text, this)),
      title_(new QLineEdit(this)),
      unit_(new ComboBox(this)),
      error_(make_label({}, this, "muted")) {
    setObjectName(u"formulaDialog"_s);
    setWindowTitle(text.isEmpty() ? tr("Add a formula") : tr("Change the formula"));
    text_->setObjectName(u"formulaText"_s);
    text_->setMaxLength(int(Formula::kMostText));
    text_->setPlaceholderText(u"loss@rank3 - loss@mean"_s);
    error_->setObjectName(u"formulaError"_s);
    error_->setWordWrap(true);
    auto* label = make_label(tr("&Formula"), this);
    label->setBuddy(text_);
    auto* help = make_label(
        tr("Metrics, numbers, + - * / ( ), mean min max median sum log, world_size. After a "
           "metric: @rank3, @mean, @min, @max, @median, @sum; without: of each rank. Names with other signs "
           "stand in quotation marks."),
        this, "muted");
    help->setWordWrap(true);
    auto* names = make_button(tr("&Insert a metric"), "formulaMetrics", this);
    auto* menu = new QMenu(names);
    for (const std::string& name : run.state.metrics.all()) {
        if (menu->actions().size() >= qsizetype(kMostNames)) {
            break;
        }
        const QString word = quoted(name);
        QString shown = fontMetrics().elidedText(word, Qt::ElideMiddle, kWidth / 2);
        menu->addAction(shown.replace(u'&', u"&&"_s), this, [this, word] {
            text_->insert(word);
            text_->setFocus();
        });
    }
    names->setMenu(menu);
    names->setEnabled(!menu->isEmpty());
    title_->setObjectName(u"formulaTitle"_s);
    title_->setMaxLength(kMostTitle);
    title_->setPlaceholderText(tr("The formula itself"));
    unit_->setObjectName(u"formulaUnit"_s);
    unit_->addItem(tr("Number"), int(MetricUnit::Number));
    unit_->addItem(tr("Percent (1 is 100 %)"), int(MetricUnit::Share));
    unit_->addItem(tr("Milliseconds"), int(MetricUnit::Milliseconds));
    unit_->addItem(tr("Per second"), int(MetricUnit::Rate));
    auto* look = new QFormLayout;
    look->addRow(tr("&Title"), title_);
    look->addRow(tr("&Unit"), unit_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    accept_ = buttons->button(QDialogButtonBox::Ok);
    accept_->setObjectName(u"formulaAccept"_s);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(label);
    layout->addWidget(text_);
    layout->addWidget(error_);
    layout->addWidget(help);
    layout->addWidget(names, 0, Qt::AlignLeft);
    layout->addLayout(look);
    layout->addStretch(1);  // room for an error: the dialog keeps its size
    layout->addWidget(buttons);
    error_->setText(tr("The formula names no metric."));
    setMinimumSize(kWidth, layout->totalHeightForWidth(kWidth));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(text_, &QLineEdit::textChanged, this, &FormulaDialog::check);
    check();
}

QString FormulaDialog::formula() const {
    return text_->text().trimmed();
}

void FormulaDialog::set_look(const PanelSettings& settings) {
    title_->setText(qs(settings.title));
    unit_->setCurrentIndex(unit_->findData(int(settings.unit)));
}

PanelSettings FormulaDialog::look(PanelSettings settings) const {
    settings.title = ss(title_->text().simplified());
    settings.unit = MetricUnit(unit_->currentData().toInt());
    return settings;
}

void FormulaDialog::check() {
    FormulaError error;
    const auto formula = Formula::parse(ss(text_->text()), &error);
    const bool good = formula && !formula->operands().empty();
    accept_->setEnabled(good);
    error_->setText(good      ? QString()
                    : formula ? tr("The formula names no metric.")
                              : formula_error_text(error));
    error_->setVisible(!good);
}

}  // namespace rankscope::gui
