// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/recipes_dialog.h>
#include <gui/launch/yaml_colors.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

RecipesDialog::RecipesDialog(RecipeBook book, std::string job, const QString& name, QThreadPool* pool,
                             QWidget* parent)
    : QDialog(parent), book_(std::move(book)), job_(std::move(job)), job_slot_(this, pool) {
    setObjectName(u"recipesDialog"_s);
    setWindowTitle(tr("Recipes"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "recipeFault", this);
    layout->addWidget(fault_);
    news_ = new NoticeBar(NoticeBar::Kind::News, "recipeNews", this);
    layout->addWidget(news_);
    layout->addWidget(make_list(), 1);
    layout->addWidget(make_save_row(name));
    auto* buttons = new QDialogButtonBox(this);
    use_ = buttons->addButton(tr("&Use"), QDialogButtonBox::AcceptRole);
    use_->setObjectName(u"recipeUse"_s);
    use_->setDefault(true);
    buttons->addButton(QDialogButtonBox::Close);
    layout->addWidget(make_rule(this));
    layout->addWidget(buttons);
    connect(use_, &QPushButton::clicked, this, &RecipesDialog::use);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(news_, &NoticeBar::actionTriggered, this, &RecipesDialog::take_back);
    resize(900, 560);
    show_current();
    run([] { return Result<void>(); }, {});
    list_->setFocus();
}

QWidget* RecipesDialog::make_list() {
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    list_ = new QTreeWidget(splitter);
    list_->setObjectName(u"recipeList"_s);
    list_->setAccessibleName(tr("Recipes"));
    list_->setRootIsDecorated(false);
    list_->setHeaderLabels({tr("Recipe"), tr("Whose")});
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto* right = new QWidget(splitter);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    text_ = new QPlainTextEdit(right);
    text_->setObjectName(u"recipeText"_s);
    text_->setAccessibleName(tr("Job file of the recipe"));
    text_->setReadOnly(true);
    text_->setTabChangesFocus(true);
    text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    new YamlColors(text_->document(), text_);
    column->addWidget(text_, 1);
    auto* row = new QHBoxLayout;
    new_name_ = new QLineEdit(right);
    new_name_->setObjectName(u"recipeNewName"_s);
    new_name_->setAccessibleName(tr("New name of the recipe"));
    rename_ = make_button(tr("&Rename"), "recipeRename", right);
    remove_ = make_button(tr("&Delete"), "recipeDelete", right);
    row->addWidget(new_name_, 1);
    row->addWidget(rename_);
    row->addWidget(remove_);
    column->addLayout(row);
    splitter->addWidget(list_);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    connect(list_, &QTreeWidget::currentItemChanged, this, &RecipesDialog::show_current);
    connect(list_, &QTreeWidget::itemActivated, this, &RecipesDialog::use);
    connect(rename_, &QPushButton::clicked, this, &RecipesDialog::rename);
    connect(remove_, &QPushButton::clicked, this, &RecipesDialog::remove);
    connect(new_name_, &QLineEdit::textChanged, this, [this](const QString& text) {
        const Entry* entry = current();
        rename_->setEnabled(entry != nullptr && entry->recipe.own && !text.trimmed().isEmpty() &&
                            text.trimmed() != qs(entry->recipe.name));
    });
    return splitter;
}

QWidget* RecipesDialog::make_save_row(const QString& name) {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    auto* label = make_label(tr("Save the present job as a &recipe:"), box);
    name_ = new QLineEdit(name, box);
    name_->setObjectName(u"recipeName"_s);
    name_->setAccessibleName(tr("Name of the new recipe"));
    label->setBuddy(name_);
    save_ = make_button(tr("&Save"), "recipeSave", box);
    save_->setEnabled(!name.trimmed().isEmpty());
    row->addWidget(label);
    row->addWidget(name_, 1);
    row->addWidget(save_);
    connect(save_, &QPushButton::clicked, this, &RecipesDialog::save);
    connect(name_, &QLineEdit::returnPressed, this, &RecipesDialog::save);
    connect(name_, &QLineEdit::textChanged, this,
            [this](const QString& text) { save_->setEnabled(!text.trimmed().isEmpty()); });
    return box;
}

// Changes something and reads the list again, away from the window's thread.
void RecipesDialog::run(const std::function<Result<void>()>& change, const QString& select,
                        const QString& done) {
    fault_->set_text({});
    job_slot_.start(
        [change, select, book = book_](const JobHandle&) {
            Read read;
            read.select = select;
            if (const auto changed = change(); !changed.ok()) {
                read.failure = changed.failure();
            }
            for (const JobRecipe& recipe : book.list()) {
                const auto text = book.content(recipe);
                read.entries.push_back({recipe, text ? *text : std::string()});
            }
            return read;
        },
        [this, done](const Read& read) {
            show_entries(read);
            if (!read.failure.code.empty()) {
                fault_->set_text(qs(read.failure.what), qs(read.failure.remedy));
            } else {
                news_->set_action(done.isEmpty() || removed_.recipe.name.empty() ? QString() : tr("&Undo"));
                news_->set_text(done);
            }
        });
}

void RecipesDialog::show_entries(const Read& read) {
    const QString before = current() != nullptr ? qs(current()->recipe.name) : QString();
    const QString wanted = read.select.isEmpty() ? before : read.select;
    list_->clear();
    entries_ = read.entries;
    int row = 0;
    for (int i = 0; i < int(entries_.size()); ++i) {
        const JobRecipe& recipe = entries_[std::size_t(i)].recipe;
        auto* item =
            new QTreeWidgetItem(list_, {qs(recipe.name), recipe.own ? tr("yours") : tr("Rankscope")});
        item->setToolTip(0, plain_text(qs(recipe.about)));
        row = qs(recipe.name) == wanted ? i : row;
    }
    list_->setCurrentItem(list_->topLevelItem(row));
    show_current();
}

const RecipesDialog::Entry* RecipesDialog::current() const {
    const int row = list_->indexOfTopLevelItem(list_->currentItem());
    return row >= 0 && row < int(entries_.size()) ? &entries_[std::size_t(row)] : nullptr;
}

void RecipesDialog::show_current() {
    const Entry* entry = current();
    text_->setPlainText(entry != nullptr ? qs(entry->yaml) : QString());
    use_->setEnabled(entry != nullptr && !entry->yaml.empty());
    const bool own = entry != nullptr && entry->recipe.own;
    new_name_->setText(own ? qs(entry->recipe.name) : QString());
    new_name_->setPlaceholderText(own ? QString() : tr("only your own can be renamed and deleted"));
    new_name_->setEnabled(own);
    rename_->setEnabled(false);
    remove_->setEnabled(own);
}

void RecipesDialog::use() {
    if (const Entry* entry = current(); entry != nullptr && !entry->yaml.empty()) {
        emit chosen(qs(entry->recipe.name), entry->yaml);
        accept();
    }
}

void RecipesDialog::save() {
    const QString name = name_->text().trimmed();
    if (name.isEmpty()) {
        return;
    }
    removed_ = {};
    run(
        [book = book_, yaml = job_, name = ss(name)] {
            const auto saved = book.save(name, yaml);
            return saved ? Result<void>() : Result<void>(saved.failure());
        },
        name, tr("Saved as %1.").arg(name));
}

void RecipesDialog::rename() {
    const Entry* entry = current();
    const QString name = new_name_->text().trimmed();
    if (entry == nullptr || !entry->recipe.own || name.isEmpty()) {
        return;
    }
    removed_ = {};
    run([book = book_, recipe = entry->recipe, name = ss(name)] { return book.rename(recipe, name); }, name);
}

void RecipesDialog::remove() {
    const Entry* entry = current();
    if (entry == nullptr || !entry->recipe.own) {
        return;
    }
    removed_ = *entry;
    run([book = book_, recipe = entry->recipe] { return book.remove(recipe); }, {},
        tr("%1 is deleted.").arg(qs(entry->recipe.name)));
}

void RecipesDialog::take_back() {
    const Entry entry = std::exchange(removed_, {});
    if (!entry.recipe.name.empty()) {
        run(
            [book = book_, entry] {
                const auto saved = book.save(entry.recipe.name, entry.yaml);
                return saved ? Result<void>() : Result<void>(saved.failure());
            },
            qs(entry.recipe.name));
    }
}

}  // namespace rankscope::gui
