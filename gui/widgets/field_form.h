// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QWidget>
#include <map>
#include <string>

class QFormLayout;
class QLabel;
class QLineEdit;

namespace rankscope::gui {

/// Rows of label and editor, each with room for a sentence with the correct form. Rows are known by
/// the key that checks name (for example "optimizer.lr").
class FieldForm : public QWidget {
    Q_OBJECT

public:
    explicit FieldForm(QWidget* parent = nullptr);

    QLabel* add_title(const QString& text);
    /// `editor` may be a container; `marked` is what gets the red frame and the focus (default: the editor).
    void add_row(const std::string& key, const QString& label, QWidget* editor, QWidget* marked = nullptr,
                 const QString& hint = {});
    QLineEdit* add_line(const std::string& key, const QString& label, const char* object_name,
                        const QString& placeholder = {}, const QString& hint = {});
    void add_wide(QWidget* widget);
    bool has_row(const std::string& key) const { return rows_.contains(key); }

    /// Shows exactly these; an empty text means that the field is right. Returns those whose key no row has.
    std::map<std::string, QString> set_errors(const std::map<std::string, QString>& errors);
    QString error(const std::string& key) const;
    void set_label(const std::string& key, const QString& label);
    void set_row_visible(const std::string& key, bool visible);

signals:
    /// The editor of a row has another value.
    void edited(const QString& key);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row {
        QWidget* editor = nullptr;
        QWidget* marked = nullptr;
        QLabel* label = nullptr;
        QLabel* error = nullptr;
        QWidget* box = nullptr;
    };
    void fit_texts();
    static void fit_row(const Row& row);

    std::map<std::string, Row> rows_;
    QFormLayout* layout_;
};

}  // namespace rankscope::gui
