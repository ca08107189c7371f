// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <gui/data/live_model.h>
#include <gui/nccl/settings_model.h>
#include <gui/nccl/settings_tab.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/plan_settings.h>
#include <remote/desk/jobs/plan/variable_notes.h>
#include <remote/desk/shared/yaml_write.h>

#include <QCompleter>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kNameWidth = 340;
constexpr int kValueWidth = 130;
constexpr int kRanksWidth = 100;
constexpr int kFromWidth = 170;
constexpr int kEditWidth = 300;

QStringList variable_names() {
    QStringList names;
    for (const logs::VariableInfo& info : logs::VariableTable::own().all()) {
        if (!info.name.ends_with('*') && info.until.empty()) {
            names += qs(info.name);
        }
    }
    return names;
}

QString versions_text(const logs::VariableInfo& info) {
    const QString of = info.of == logs::VariableOf::Torch  ? u"PyTorch"_s
                       : info.of == logs::VariableOf::Gloo ? u"PyTorch"_s
                                                           : u"NCCL"_s;
    if (!info.since.empty() && !info.until.empty()) {
        return SettingsTab::tr("%1 %2 to %3").arg(of, qs(info.since), qs(info.until));
    }
    if (!info.until.empty()) {
        return SettingsTab::tr("up to %1 %2").arg(of, qs(info.until));
    }
    return info.since.empty() ? QString() : SettingsTab::tr("%1 %2 and newer").arg(of, qs(info.since));
}

}  // namespace

SettingsTab::SettingsTab(QWidget* parent)
    : NcclTab(parent),
      model_(new SettingsModel(this)),
      view_(new QTreeView(this)),
      note_(make_label({}, this, "muted")) {
    setObjectName(u"ncclSettingsTab"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 6, 4, 4);
    layout->setSpacing(6);
    view_->setObjectName(u"ncclSettings"_s);
    view_->setAccessibleName(tr("Variables of NCCL, PyTorch and Gloo"));
    view_->setModel(model_);
    view_->setUniformRowHeights(true);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->header()->resizeSection(SettingsModel::Name, kNameWidth);
    view_->header()->resizeSection(SettingsModel::Value, kValueWidth);
    view_->header()->resizeSection(SettingsModel::Ranks, kRanksWidth);
    view_->header()->resizeSection(SettingsModel::From, kFromWidth);
    layout->addWidget(view_, 1);
    none_ = make_label({}, this, "muted");
    none_->setObjectName(u"ncclSettingsNone"_s);
    none_->setAlignment(Qt::AlignCenter);
    none_->setWordWrap(true);
    none_->hide();
    layout->addWidget(none_, 1);
    note_->setObjectName(u"ncclSettingsNote"_s);
    layout->addWidget(note_);
    layout->addWidget(make_details());
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        show_details();
        fill_edit();
    });
    connect(view_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const logs::SettingUse* use = model_->use_of(index);
        if (use && use->line.line > 0) {
            emit lineRequested(use->line.file, use->line.line);
        }
    });
    show_details();
    check_edit();
}

QWidget* SettingsTab::make_details() {
    auto* details = new QWidget(this);
    auto* layout = new QVBoxLayout(details);
    layout->setContentsMargins(2, 0, 2, 2);
    layout->setSpacing(3);
    const auto label = [&](const char* name, const char* role) {
        QLabel* made = make_label({}, details, role);
        made->setObjectName(QString::fromLatin1(name));
        made->setWordWrap(true);
        layout->addWidget(made);
        return made;
    };
    meaning_ = label("ncclSettingMeaning", nullptr);
    facts_ = label("ncclSettingFacts", "muted");
    auto* row = new QHBoxLayout;
    name_ = new QLineEdit(details);
    name_->setObjectName(u"ncclSettingName"_s);
    name_->setPlaceholderText(tr("Variable"));
    name_->setAccessibleName(tr("Variable"));
    name_->setMinimumWidth(kEditWidth);
    auto* completer = new QCompleter(variable_names(), name_);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    name_->setCompleter(completer);
    value_ = new QLineEdit(details);
    value_->setObjectName(u"ncclSettingValue"_s);
    value_->setPlaceholderText(tr("Value"));
    value_->setAccessibleName(tr("Value"));
    set_ = make_button(tr("&Set in Launch"), "ncclSettingSet", details);
    set_->setToolTip(tr("Opens this job in Launch with the variable in its environment."));
    row->addWidget(name_);
    row->addWidget(value_, 1);
    row->addWidget(set_);
    layout->addLayout(row);
    problem_ = label("ncclSettingProblem", "fieldError");
    connect(name_, &QLineEdit::textChanged, this, &SettingsTab::check_edit);
    connect(value_, &QLineEdit::textChanged, this, &SettingsTab::check_edit);
    connect(value_, &QLineEdit::returnPressed, this, &SettingsTab::set_in_launch);
    connect(set_, &QPushButton::clicked, this, &SettingsTab::set_in_launch);
    return details;
}

void SettingsTab::set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) {
    snapshot_ = snapshot;
    if (isVisible()) {
        refresh();
    }
}

void SettingsTab::set_run(const LiveModel* run) {
    run_ = run;
}

bool SettingsTab::has_content() const {
    return run_ && !run_->state().plan.ranks.empty();
}

void SettingsTab::showEvent(QShowEvent* event) {
    NcclTab::showEvent(event);
    refresh();
}

void SettingsTab::changeEvent(QEvent* event) {
    NcclTab::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        model_->set_colors(theme_colors(palette()));
        view_->viewport()->update();
    }
}

void SettingsTab::refresh() {
    const std::size_t ranks = run_ ? run_->state().plan.ranks.size() : 0;
    const std::size_t nodes = run_ ? run_->state().node_settings.size() : 0;
    if (!snapshot_ || (snapshot_ == shown_ && ranks == shown_ranks_ && nodes == shown_nodes_)) {
        return;
    }
    shown_ = snapshot_;
    shown_ranks_ = ranks;
    shown_nodes_ = nodes;
    logs::SettingBook book;
    if (run_) {
        const std::string& yaml = run_->data().job_yaml;
        const JobRead read = yaml.empty() ? JobRead() : parse_job(yaml, {});
        const bool known = !yaml.empty() && read.problems.empty();
        add_plan(run_->state().plan, known ? &read.job : nullptr, book);
        add_node_settings(run_->state().plan, run_->state().node_settings, book);
    }
    book.add_facts(snapshot_->facts);
    auto rows = book.rows(logs::VariableTable::own(), logs::versions_of(snapshot_->facts));
    // What needs attention stands first.
    std::stable_sort(rows.begin(), rows.end(),
                     [](const logs::SettingRow& left, const logs::SettingRow& right) {
                         const auto calm = [](const logs::SettingRow& row) {
                             return row.problems.empty() && !row.differs;
                         };
                         return !calm(left) && calm(right);
                     });
    const logs::SettingRow* current = model_->row_of(view_->currentIndex());
    const std::string name = current ? current->name : std::string();
    model_->set_colors(theme_colors(palette()));
    const QSignalBlocker blocker(view_->selectionModel());
    model_->set_rows(std::move(rows));
    view_->expandAll();
    for (int i = 0; i < model_->rowCount(); ++i) {
        if (model_->rows()[std::size_t(i)].name == name) {
            view_->setCurrentIndex(model_->index(i, 0));
        }
    }
    const auto wrong =
        std::count_if(model_->rows().begin(), model_->rows().end(),
                      [](const logs::SettingRow& row) { return !row.problems.empty() || row.differs; });
    note_->setText(
        model_->rows().empty() ? QString()
        : wrong == 0           ? tr("%1 variables are set.").arg(model_->rows().size())
        : wrong == 1           ? tr("%1 variables are set; one needs attention.").arg(model_->rows().size())
                     : tr("%1 variables are set; %2 need attention.").arg(model_->rows().size()).arg(wrong));
    none_->setText(
        run_ ? tr("The job sets no variable of NCCL, PyTorch or Gloo, and NCCL has printed none.\nWrite "
                  "one below to set it for the next run.")
             : tr("No line of NCCL names a variable that is set."));
    none_->setVisible(model_->rows().empty());
    view_->setVisible(!model_->rows().empty());
    note_->setVisible(!model_->rows().empty());
    show_details();
}

void SettingsTab::show_details() {
    const logs::SettingRow* row = model_->row_of(view_->currentIndex());
    if (!row) {
        meaning_->setText(
            tr("Choose a variable to see what it does, or write one to set it for the next run."));
        facts_->clear();
        facts_->hide();
        return;
    }
    QStringList texts;
    for (const logs::VariableProblem& problem : row->problems) {
        texts += qs(variable_problem_text(
            row->name, row->uses.empty() ? std::string() : row->uses.front().value, problem));
    }
    if (row->differs) {
        texts += tr("Not all ranks have the same value.");
    }
    if (row->info) {
        texts += variable_text(row->info->meaning);
    }
    meaning_->setText(texts.join(u' '));
    QStringList facts;
    if (row->info) {
        if (row->info->kind != logs::ValueKind::Text) {
            facts += tr("values: %1")
                         .arg(row->info->kind == logs::ValueKind::Flag ? u"0, 1"_s
                              : row->info->kind == logs::ValueKind::Level
                                  ? u"LOC, NVL, PIX, PXB, PHB, SYS"_s
                                  : qs(row->info->values).section(u' ', 1));
        }
        if (!row->info->default_text.empty()) {
            facts += tr("default: %1").arg(variable_text(row->info->default_text));
        }
        if (const QString versions = versions_text(*row->info); !versions.isEmpty()) {
            facts += versions;
        }
        if (!row->info->source.empty()) {
            facts += tr("source: %1").arg(qs(row->info->source));
        }
    }
    const bool not_known =
        std::any_of(row->uses.begin(), row->uses.end(),
                    [row](const logs::SettingUse& use) { return origin_is_open(use, row->name); });
    if (not_known) {
        facts += tr("NCCL prints the same line for the environment and for nccl.conf; on the node, `grep %1 "
                    "~/.nccl.conf /etc/nccl.conf` finds the second")
                     .arg(qs(copied_word(row->name)));
    }
    facts_->setText(facts.join(u" · "_s));
    facts_->setVisible(!facts.isEmpty());
}

// The chosen variable, with its right name.
void SettingsTab::fill_edit() {
    const logs::SettingRow* row = model_->row_of(view_->currentIndex());
    if (!row) {
        return;
    }
    const logs::SettingUse* use = model_->use_of(view_->currentIndex());
    const bool misspelt =
        !row->problems.empty() && row->problems.front().kind == logs::VariableProblemKind::Misspelt;
    const bool in_job = std::any_of(row->uses.begin(), row->uses.end(), [](const logs::SettingUse& one) {
        return one.origin == logs::SettingOrigin::Job && one.where == "env";
    });
    name_->setText(qs(misspelt ? row->problems.front().detail : row->name));
    value_->setText(use ? qs(use->value) : QString());
    misspelt_ = misspelt && in_job ? qs(row->name) : QString();
}

void SettingsTab::check_edit() {
    const std::string name = ss(name_->text().trimmed());
    const std::string value = ss(value_->text().trimmed());
    QString text;
    if (!name.empty()) {
        for (const logs::VariableProblem& problem : logs::VariableTable::own().check(name, value, {})) {
            if (text.isEmpty() && problem.kind != logs::VariableProblemKind::Unknown) {
                text = qs(variable_problem_text(name, value, problem));
            }
        }
    }
    problem_->setText(text);
    problem_->setVisible(!text.isEmpty());
    set_->setEnabled(!name.empty() && !value.empty());
}

void SettingsTab::set_in_launch() {
    if (!set_->isEnabled()) {
        return;
    }
    std::map<std::string, std::string> keys{
        {"env." + ss(name_->text().trimmed()), yaml_flow(ss(value_->text().trimmed()))}};
    if (!misspelt_.isEmpty()) {
        keys["env." + ss(misspelt_)] = "";  // takes the wrong one out
    }
    emit jobRequested(keys);
}

}  // namespace rankscope::gui
