// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/inventory/inventory.h>

#include <QDialog>
#include <map>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;

namespace rankscope::gui {

class FieldForm;

/// Sets the same fields of several nodes. Only ticked fields change; a field is ticked by editing it. OK is disabled
/// while a field is wrong for one of the nodes; the field names it.
class BatchNodeDialog : public QDialog {
    Q_OBJECT

public:
    /// `nodes`: two or more.
    BatchNodeDialog(std::vector<NodeSpec> nodes, QWidget* parent);

    /// The nodes as they will be.
    std::vector<NodeSpec> nodes() const;
    /// Groups to complete the field with.
    void offer_groups(const QStringList& groups);

private:
    struct Field {
        QCheckBox* change = nullptr;
        QLineEdit* line = nullptr;
    };
    void add_field(const std::string& key, const QString& label, const char* object_name,
                   const QString& empty, const QString& hint = {});
    void add_transport();
    bool changes(const std::string& key) const;
    QString value(const std::string& key) const;
    void apply(NodeSpec& node) const;
    std::map<std::string, QString> errors() const;
    void check();

    std::vector<NodeSpec> before_;
    FieldForm* form_;
    std::map<std::string, Field> fields_;
    QCheckBox* change_transport_ = nullptr;
    QComboBox* transport_ = nullptr;
    QPushButton* ok_ = nullptr;
};

}  // namespace rankscope::gui
