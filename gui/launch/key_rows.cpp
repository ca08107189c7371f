// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/key_rows.h>
#include <gui/launch/train_values.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/shared/yaml_tree.h>
#include <remote/desk/shared/yaml_write.h>

#include <QCoreApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStandardItemModel>
#include <QToolButton>
#include <algorithm>
#include <map>

namespace rankscope::gui {

namespace {

using config::KeyInfo;
using config::KeyKind;
using nlohmann::json;

constexpr const char* kTrain = "train.";

bool is_choice(const KeyInfo& info) {
    return info.kind == KeyKind::Choice || info.kind == KeyKind::Flag;
}

/// What the field is for the value; empty: not set.
QString text_of(const KeyInfo& info, const json& value) {
    if (value.is_null() || value == "" || (value.is_array() && value.empty())) {
        return {};
    }
    if (info.kind == KeyKind::Words) {
        return join_words(value.get<std::vector<std::string>>());
    }
    return qs(value.is_string() ? value.get<std::string>() : yaml_flow(value));
}

/// The value of a field's text. `error`: what is wrong with the text.
config::ConfigNode value_of(const KeyInfo& info, const QString& text, QString* error) {
    const QString word = text.trimmed();
    config::ConfigNode node;
    if (info.kind == KeyKind::Words) {
        return config::from_json(split_words(word, error));
    }
    if (info.kind == KeyKind::Special || info.kind == KeyKind::TextMap) {
        config::ConfigProblems problems;
        const auto read = read_yaml(ss(word), problems);
        if (!read || !problems.empty()) {
            *error = qs(problems.empty() ? std::string() : to_sentence(problems.front()));
            return node;
        }
        return *read;
    }
    node.kind = config::ConfigNode::Kind::Scalar;
    node.text = ss(word);
    node.plain = info.kind != KeyKind::Text;
    return node;
}

// A value, or in words what holds without one.
QString shown_default(const KeyInfo& info) {
    const std::string normal = default_of(info);
    return normal == info.absent ? translated_key(info.absent) : qs(normal);
}

QString shown_text(const QWidget* editor) {
    if (const auto* box = qobject_cast<const QComboBox*>(editor)) {
        return box->currentData().toString();
    }
    return qobject_cast<const QLineEdit*>(editor)->text();
}

}  // namespace

QString translated_key(const char* text) {
    return QCoreApplication::translate("JobKeys", text);
}

std::string form_key(const std::string& path) {
    return path.starts_with(kTrain) ? path.substr(std::string(kTrain).size()) : path;
}

KeyRows::KeyRows(FieldForm* form) : QObject(form), form_(form) {}

QWidget* KeyRows::make_editor(const KeyInfo& info) {
    const QString name = u"launch."_s % qs(info.path);
    const QString normal = shown_default(info);
    if (is_choice(info)) {
        auto* box = new ComboBox(form_);
        box->setObjectName(name);
        box->addItem(normal.isEmpty() ? tr("choose…") : tr("default: %1").arg(normal), QString());
        for (const std::string& choice : info.choices) {
            box->addItem(qs(choice), qs(choice));
        }
        if (info.kind == KeyKind::Flag) {
            box->addItem(tr("yes"), u"true"_s);
            box->addItem(tr("no"), u"false"_s);
        }
        // A long default must not widen the form, nor the wheel change a field that the page scrolls past.
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setFocusPolicy(Qt::StrongFocus);
        return box;
    }
    auto* edit = new QLineEdit(form_);
    edit->setObjectName(name);
    edit->setPlaceholderText(normal);
    return edit;
}

void KeyRows::add(const std::function<bool(const KeyInfo&)>& wanted) {
    std::vector<std::string> groups;
    for (const KeyInfo& info : all_job_keys()) {
        if (wanted(info) && std::find(groups.begin(), groups.end(), info.group) == groups.end()) {
            groups.emplace_back(info.group);
        }
    }
    for (const std::string& group : groups) {
        QLabel* title = form_->add_title(translated_key(group.c_str()));
        for (const KeyInfo& info : all_job_keys()) {
            if (info.group != group || !wanted(info)) {
                continue;
            }
            Row row{&info, form_key(info.path), make_editor(info), title};
            row.rare = info.rare;
            QString label = translated_key(info.label);
            label.remove(u'&');  // the letters are taken by the fields above
            QWidget* button = nullptr;
            if (info.path == "env" || info.path == "node_env" || info.path == "rank_env") {
                button = make_table_button(row.editor);
            } else if (offer_source_ && !is_choice(info) && !offer_source_(row.key).empty()) {
                button = make_offers_button(row.editor, row.key);
            }
            add_row(std::move(row), label, button);
        }
    }
}

QWidget* KeyRows::add_key(const char* path, QWidget* button) {
    const KeyInfo& info = job_keys().find(path)->info;
    QWidget* editor = make_editor(info);
    add_row({&info, info.path, editor}, translated_key(info.label), button);
    return editor;
}

void KeyRows::add_row(Row row, const QString& label, QWidget* button) {
    row.train = row.info->path.starts_with(kTrain);
    form_->add_row(row.key, label, button == nullptr ? row.editor : make_row(form_, row.editor, button),
                   row.editor, u"%1\n%2"_s.arg(qs(row.info->path), translated_key(row.info->help)));
    // After the form's own signal, which says which field it is.
    if (const auto* combo = qobject_cast<QComboBox*>(row.editor)) {
        connect(combo, &QComboBox::currentIndexChanged, this, &KeyRows::edited);
    } else {
        connect(qobject_cast<QLineEdit*>(row.editor), &QLineEdit::textChanged, this, &KeyRows::edited);
    }
    rows_.push_back(std::move(row));
}

QWidget* KeyRows::make_table_button(const QWidget* editor) {
    QPushButton* open = make_button(tr("Table…"), "", form_);
    open->setObjectName(editor->objectName() + u".table"_s);
    open->setAccessibleName(tr("Environment as a table"));
    connect(open, &QPushButton::clicked, this, &KeyRows::tableRequested);
    return open;
}

QWidget* KeyRows::make_offers_button(QWidget* editor, const std::string& key) {
    auto* line = qobject_cast<QLineEdit*>(editor);
    auto* open = new QToolButton(form_);
    open->setObjectName(line->objectName() + u".offers"_s);
    open->setArrowType(Qt::DownArrow);
    open->setToolTip(tr("Values to choose from"));
    open->setAccessibleName(tr("Values to choose from"));
    open->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(open);
    menu->setObjectName(line->objectName() + u".menu"_s);
    open->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, line, key] {
        menu->clear();
        for (const KeyOffer& offer : offer_source_(key)) {
            QString text = u"%1 — %2"_s.arg(offer.value, offer.meaning);
            menu->addAction(text.replace(u'&', u"&&"_s), line,
                            [line, value = offer.value] { line->setText(value); });
        }
    });
    return open;
}

void KeyRows::set_text(const std::string& key, const QString& text) {
    const Row* row = find(key);
    if (auto* line = row == nullptr ? nullptr : qobject_cast<QLineEdit*>(row->editor)) {
        line->setText(text);
    }
}

void KeyRows::set_job(const Job& job) {
    for (Row& row : rows_) {
        json value;
        if (row.train) {
            value = job.train ? train_value(*job.train, row.key) : json();
        } else {
            value = job_keys().find(row.info->path)->write(job);
            value = value == row.info->normal ? json() : value;
        }
        const QString text = text_of(*row.info, value);
        if (auto* box = qobject_cast<QComboBox*>(row.editor)) {
            if (!text.isEmpty() && box->findData(text) < 0) {
                box->addItem(text, text);  // what the file says, for the check to name
            }
            box->setCurrentIndex(std::max(box->findData(text), 0));
        } else {
            qobject_cast<QLineEdit*>(row.editor)->setText(text);
        }
        row.loaded = shown_text(row.editor);
    }
}

void KeyRows::apply(Job& job, FieldErrors& errors) const {
    for (const Row& row : rows_) {
        const QString text = shown_text(row.editor);
        if (text == row.loaded || !is_for(row, job)) {
            continue;
        }
        if (row.train) {
            apply_train(row, text, job, errors);
        } else {
            apply_job(row, text, job, errors);
        }
    }
    drop_what_means_nothing(job);
}

// A value that the job has although it is not for such jobs can be seen and removed.
bool KeyRows::is_for(const Row& row, const Job& job) {
    return applies(*row.info, job) ||
           (!row.train && job_keys().find(row.info->path)->write(job) != row.info->normal);
}

// With another optimizer or schedule the keys of the old one go.
void KeyRows::drop_what_means_nothing(Job& job) const {
    for (const KeyInfo& info : all_job_keys()) {
        const Row* condition = *info.when_key == '\0' ? nullptr : find(form_key(info.when_key));
        if (!job.train || condition == nullptr || shown_text(condition->editor) == condition->loaded) {
            continue;
        }
        const json current = train_value(*job.train, condition->key);
        if (!config::is_meant(info, current.is_null() ? condition->info->normal : current)) {
            set_train_value(*job.train, form_key(info.path), nullptr);
        }
    }
}

const KeyRows::Row* KeyRows::find(const std::string& key) const {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.key == key; });
    return found == rows_.end() ? nullptr : &*found;
}

void KeyRows::apply_train(const Row& row, const QString& text, Job& job, FieldErrors& errors) const {
    if (!job.train || !job.train->is_object()) {
        return;
    }
    if (text.trimmed().isEmpty()) {
        set_train_value(*job.train, row.key, nullptr);
        return;
    }
    QString error;
    const config::ConfigNode node = value_of(*row.info, text, &error);
    if (!error.isEmpty()) {
        errors[row.key] = error;
        return;
    }
    set_train_value(*job.train, row.key, config::to_json(node));
}

void KeyRows::apply_job(const Row& row, const QString& text, Job& job, FieldErrors& errors) const {
    const auto& key = *job_keys().find(row.info->path);
    QString error;
    config::ConfigNode node;
    if (!text.trimmed().isEmpty()) {
        node = value_of(*row.info, text, &error);
    } else {
        const json& normal = row.info->normal;
        node = config::from_json(normal.is_null() ? json::object() : normal);
    }
    config::ConfigProblems problems;
    if (error.isEmpty()) {
        key.read({node, key.info, key.info.path, true, problems}, job);
    }
    if (!error.isEmpty() || !problems.empty()) {
        errors[row.key] = error.isEmpty() ? qs(to_sentence(problems.front())) : error;
    }
}

void KeyRows::show_for(const Job& job, bool more) {
    std::map<QLabel*, bool> titles;
    for (const Row& row : rows_) {
        bool shown = is_for(row, job) && (more || !row.rare);
        if (*row.info->when_key != '\0') {
            const std::string condition = form_key(row.info->when_key);
            json current = job.train ? train_value(*job.train, condition) : json();
            if (const Row* other = find(condition); current.is_null() && other != nullptr) {
                current = other->info->normal;
            }
            shown = shown && config::is_meant(*row.info, current);
        }
        form_->set_row_visible(row.key, shown);
        if (row.title != nullptr) {
            titles[row.title] = titles[row.title] || shown;
        }
    }
    for (const auto& [title, shown] : titles) {
        title->setVisible(shown);
    }
}

void KeyRows::set_offers(const std::string& key, const std::vector<ComputeOffer>& offers,
                         const std::map<QString, QString>& names, const QString& normal) {
    const Row* row = find(key);
    auto* box = row == nullptr ? nullptr : qobject_cast<QComboBox*>(row->editor);
    auto* model = box == nullptr ? nullptr : qobject_cast<QStandardItemModel*>(box->model());
    if (model == nullptr) {
        return;
    }
    for (int i = 0; i < box->count(); ++i) {
        const QString value = box->itemData(i).toString();
        if (value.isEmpty()) {
            const QString word = shown_default(*row->info);
            box->setItemText(
                i, normal.isEmpty() ? tr("default: %1").arg(word) : tr("default: %1 (%2)").arg(word, normal));
            continue;
        }
        const auto name = names.find(value);
        const QString shown = name == names.end() ? value : name->second;
        const QString why = qs(ComputeOffers::why_not(offers, ss(value)));
        model->item(i)->setEnabled(why.isEmpty());
        box->setItemText(i, why.isEmpty() ? shown : tr("%1: %2").arg(shown, why));
        box->setItemData(i, plain_text(why), Qt::ToolTipRole);
    }
}

bool KeyRows::is_rare(const std::string& key) const {
    const Row* row = find(key);
    return row != nullptr && row->rare;
}

}  // namespace rankscope::gui
