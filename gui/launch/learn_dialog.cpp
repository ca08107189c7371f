// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/learn_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/observe/metric_lines/pattern.h>

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <array>
#include <optional>

namespace rankscope::gui {

namespace {

enum Column { Before, Number, Becomes, NUM_COLUMNS };

constexpr std::size_t kShownBefore = 24;  ///< of the line, to distinguish equal numbers

/// "step 5, loss 0.31".
QString reading_text(const metric_lines::Reading& reading) {
    QStringList parts;
    const auto add = [&parts](const QString& name, const std::optional<double>& value) {
        if (value) {
            parts += QString(name % u" = "_s % QString::number(*value, 'g', 8));
        }
    };
    add(u"step"_s, reading.step);
    add(u"step_in_epoch"_s, reading.in_epoch);
    add(u"steps_per_epoch"_s, reading.per_epoch);
    add(u"epoch"_s, reading.epoch);
    add(u"epochs"_s, reading.epochs);
    for (const auto& [name, value] : reading.values) {
        add(qs(name), value);
    }
    return parts.join(u", "_s);
}

}  // namespace

LearnDialog::LearnDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(u"learnDialog"_s);
    setWindowTitle(tr("Learn from an example line"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(8);
    auto* title = make_label(tr("A &line as the program prints it"), this, "sectionTitle");
    line_ = new QLineEdit(this);
    line_->setObjectName(u"learnLine"_s);
    line_->setAccessibleName(tr("Example line"));
    line_->setPlaceholderText(u"it 5/100 took 0.21 s, margin 0.31"_s);
    line_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    title->setBuddy(line_);
    layout->addWidget(title);
    layout->addWidget(line_);
    auto* names = make_label(tr("&Name the numbers to draw as curves. step and epoch place the line in "
                                "the run; loss, acc1 and lr are known names, others are yours."),
                             this, "muted");
    names->setWordWrap(true);
    layout->addWidget(names);
    table_ = new QTableWidget(0, NUM_COLUMNS, this);
    table_->setObjectName(u"learnTable"_s);
    table_->setAccessibleName(tr("Numbers of the line"));
    table_->setHorizontalHeaderLabels({tr("After"), tr("Number"), tr("Becomes")});
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setColumnWidth(Before, 220);
    table_->setColumnWidth(Number, 110);
    table_->setTabKeyNavigation(false);
    table_->setEditTriggers(QAbstractItemView::AllEditTriggers);
    names->setBuddy(table_);
    layout->addWidget(table_, 1);
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "learnFault", this);
    layout->addWidget(fault_);
    layout->addWidget(make_label(tr("The pattern"), this, "sectionTitle"));
    pattern_ = new QLineEdit(this);
    pattern_->setObjectName(u"learnPattern"_s);
    pattern_->setAccessibleName(tr("The pattern"));
    pattern_->setReadOnly(true);
    pattern_->setFont(line_->font());
    layout->addWidget(pattern_);
    reads_ = make_label({}, this, "muted");
    reads_->setObjectName(u"learnReads"_s);
    reads_->setWordWrap(true);
    layout->addWidget(reads_);
    auto* buttons = new QDialogButtonBox(this);
    ok_ = buttons->addButton(tr("&Add"), QDialogButtonBox::AcceptRole);
    ok_->setObjectName(u"learnOk"_s);
    ok_->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(line_, &QLineEdit::textChanged, this, &LearnDialog::list_numbers);
    connect(table_, &QTableWidget::itemChanged, this, &LearnDialog::learn);
    resize(600, 460);
    list_numbers();
    line_->setFocus();
}

QString LearnDialog::pattern() const {
    return pattern_->text();
}

void LearnDialog::set_example(const std::string& line, const std::vector<std::string>& fields) {
    line_->setText(qs(line));
    for (const std::string& field : fields) {
        const auto sign = field.find('=');
        std::string why;
        const auto mark = sign == std::string::npos ? std::nullopt
                                                    : metric_lines::find_mark(text_, field.substr(0, sign),
                                                                              field.substr(sign + 1), why);
        for (std::size_t i = 0; mark && i < numbers_.size(); ++i) {
            if (numbers_[i].begin == mark->begin) {
                table_->item(int(i), Becomes)->setText(qs(mark->name));
            }
        }
    }
}

// A number keeps its name when the text before it stays the same.
void LearnDialog::list_numbers() {
    text_ = ss(line_->text());
    numbers_ = metric_lines::numbers_to_mark(text_);
    listing_ = true;
    std::vector<QString> names;
    for (int row = 0; row < table_->rowCount(); ++row) {
        names.push_back(table_->item(row, Becomes)->text());
    }
    table_->setRowCount(int(numbers_.size()));
    std::size_t behind = 0;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        const metric_lines::Mark& number = numbers_[i];
        std::string before = text_.substr(behind, number.begin - behind);
        if (before.size() > kShownBefore) {
            before.erase(0, before.size() - kShownBefore);
        }
        behind = number.end;
        const std::array<QString, NUM_COLUMNS> texts{
            qs(before).trimmed(), qs(text_.substr(number.begin, number.end - number.begin)),
            i < names.size() ? names[i] : QString()};
        for (int column = 0; column < NUM_COLUMNS; ++column) {
            auto* item = new QTableWidgetItem(texts[std::size_t(column)]);
            item->setFlags(column == Becomes ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable
                                             : Qt::ItemIsEnabled);
            table_->setItem(int(i), column, item);
        }
    }
    listing_ = false;
    learn();
}

void LearnDialog::learn() {
    if (listing_) {
        return;
    }
    fault_->set_text({});
    pattern_->clear();
    ok_->setEnabled(false);
    std::vector<metric_lines::Mark> marks;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        const QString name = table_->item(int(i), Becomes)->text().trimmed();
        if (!name.isEmpty()) {
            marks.push_back({ss(name), numbers_[i].begin, numbers_[i].end});
        }
    }
    if (marks.empty()) {
        reads_->setText(text_.empty()      ? tr("Paste a line first.")
                        : numbers_.empty() ? tr("There is no number in this line.")
                                           : tr("Name at least one number."));
        return;
    }
    std::string why;
    const auto pattern = metric_lines::learn_pattern(text_, marks, why);
    const auto compiled = pattern ? metric_lines::Pattern::compile(*pattern, &why) : std::nullopt;
    const auto reading = compiled ? compiled->match(text_) : std::nullopt;
    if (!reading) {
        reads_->clear();
        fault_->set_text(tr("No pattern can be made of this: %1.").arg(qs(why)),
                         tr("Names are letters, digits and _, each once."));
        return;
    }
    pattern_->setText(qs(*pattern));
    pattern_->setCursorPosition(0);
    reads_->setText(tr("Reads from this line: %1").arg(reading_text(*reading)));
    ok_->setEnabled(true);
}

}  // namespace rankscope::gui
