// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kNarrowest = 200;  ///< before the first layout

/// Wrapped texts in it have the height that is set by hand (fit_texts): with rows that ask for a height for
/// their width, QFormLayout gives rows beside hidden ones none at all.
class RowBox : public QWidget {
public:
    using QWidget::QWidget;
    bool hasHeightForWidth() const override { return false; }
};

}  // namespace

FieldForm::FieldForm(QWidget* parent) : QWidget(parent), layout_(new QFormLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setHorizontalSpacing(12);
    layout_->setVerticalSpacing(7);
    layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    layout_->setLabelAlignment(Qt::AlignLeft);
}

QLabel* FieldForm::add_title(const QString& text) {
    auto* title = make_label(text, this, "sectionTitle");
    title->setContentsMargins(0, layout_->rowCount() == 0 ? 0 : 8, 0, 0);
    layout_->addRow(title);
    return title;
}

void FieldForm::add_row(const std::string& key, const QString& label, QWidget* editor, QWidget* marked,
                        const QString& hint) {
    Row row;
    row.editor = editor;
    row.marked = marked ? marked : editor;
    row.box = new RowBox(this);
    auto* box = new QVBoxLayout(row.box);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(2);
    box->addWidget(editor);
    if (!hint.isEmpty()) {
        row.marked->setToolTip(hint);
    }
    row.error = make_label({}, row.box, "fieldError");
    row.error->setWordWrap(true);
    // Its height is set by hand (fit_texts): the layouts must not guess at it.
    row.error->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    row.error->setObjectName(row.marked->objectName() + u"Error"_s);
    row.error->hide();
    box->addWidget(row.error);
    row.label = new QLabel(label, this);
    row.label->setBuddy(row.marked);
    row.label->setContentsMargins(0, 4, 0, 0);
    row.label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    QString plain = label;
    row.marked->setAccessibleName(plain.remove(u'&'));
    layout_->addRow(row.label, row.box);
    const QString name = qs(key);
    const auto report = [this, name] { emit edited(name); };
    if (auto* line = qobject_cast<QLineEdit*>(row.marked)) {
        connect(line, &QLineEdit::textChanged, this, report);
    } else if (auto* combo = qobject_cast<QComboBox*>(row.marked)) {
        connect(combo, &QComboBox::currentIndexChanged, this, report);
    } else if (auto* check = qobject_cast<QCheckBox*>(row.marked)) {
        connect(check, &QCheckBox::toggled, this, report);
    } else if (auto* text = qobject_cast<QPlainTextEdit*>(row.marked)) {
        connect(text, &QPlainTextEdit::textChanged, this, report);
    }
    rows_[key] = row;
    row.box->installEventFilter(this);
}

QLineEdit* FieldForm::add_line(const std::string& key, const QString& label, const char* object_name,
                               const QString& placeholder, const QString& hint) {
    auto* edit = new QLineEdit(this);
    edit->setObjectName(QString::fromLatin1(object_name));
    edit->setPlaceholderText(placeholder);
    add_row(key, label, edit, nullptr, hint);
    return edit;
}

void FieldForm::add_wide(QWidget* widget) {
    layout_->addRow(widget);
}

std::map<std::string, QString> FieldForm::set_errors(const std::map<std::string, QString>& errors) {
    std::map<std::string, QString> left = errors;
    for (auto& [key, row] : rows_) {
        const auto found = left.find(key);
        QString text = found == left.end() ? QString() : found->second;
        if (!text.isEmpty()) {
            text[0] = text[0].toUpper();
        }
        row.error->setText(text);
        row.error->setVisible(!text.isEmpty());
        row.marked->setAccessibleDescription(text);
        set_style_property(row.marked, "invalid", text.isEmpty() ? u"false"_s : u"true"_s);
        if (found != left.end()) {
            left.erase(found);
        }
    }
    fit_texts();
    QMetaObject::invokeMethod(this, &FieldForm::fit_texts, Qt::QueuedConnection);  // once it is laid out
    return left;
}

void FieldForm::fit_row(const Row& row) {
    const int room = std::max(row.box->width(), kNarrowest);
    if (!row.error->text().isEmpty()) {
        fit_height(row.error, room);
    }
    if (auto* text = qobject_cast<QLabel*>(row.editor); text && text->wordWrap() && !text->text().isEmpty()) {
        fit_height(text, room);
    }
}

void FieldForm::fit_texts() {
    for (const auto& [key, row] : rows_) {
        fit_row(row);
    }
}

// A row gets another width without the form, by its neighbours; a text can change at any time.
bool FieldForm::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) {
        for (const auto& [key, row] : rows_) {
            if (row.box == watched) {
                fit_row(row);
            }
        }
    }
    return QWidget::eventFilter(watched, event);
}

void FieldForm::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit_texts();
}

QString FieldForm::error(const std::string& key) const {
    const auto row = rows_.find(key);
    return row == rows_.end() ? QString() : row->second.error->text();
}

void FieldForm::set_label(const std::string& key, const QString& label) {
    const auto row = rows_.find(key);
    if (row != rows_.end()) {
        row->second.label->setText(label);
        QString plain = label;
        row->second.marked->setAccessibleName(plain.remove(u'&'));
    }
}

void FieldForm::set_row_visible(const std::string& key, bool visible) {
    const auto row = rows_.find(key);
    if (row != rows_.end()) {
        layout_->setRowVisible(row->second.box, visible);
    }
}

}  // namespace rankscope::gui
