// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/preferences/notification_section.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/text_height.h>
#include <remote/desk/runs/notify/alert_command.h>

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kRuleLines = 4;

QString rule_lines(const std::vector<AlertRule>& rules) {
    QStringList lines;
    for (const AlertRule& rule : rules) {
        lines += qs(to_text(rule));
    }
    return lines.join(u'\n');
}

}  // namespace

NotificationSection::NotificationSection(SettingsFile* file, QWidget* parent)
    : SettingsSection(SettingsPart::Notifications, tr("Notifications"), file, parent),
      metric_(new QLineEdit(this)),
      steps_(new QSpinBox(this)),
      rules_(new QPlainTextEdit(this)),
      desktop_(new QCheckBox(tr("On the &desktop"), this)),
      sound_(new QCheckBox(tr("&Sound"), this)),
      command_(new QLineEdit(this)) {
    leave_wheel_to_page(steps_);
    add_kinds();
    add_ways();
    add_note(tr(
        "Of the run that this window follows. The command runs without a shell; RANKSCOPE_ALERT (ended, "
        "failed, hang, nan, plateau, rule), RANKSCOPE_ALERT_TITLE, _TEXT, _RUN, _NAME, _RANK and _STEP are "
        "in its environment."));
    column()->addStretch();
}

void NotificationSection::add_kinds() {
    form()->add_title(tr("Report"));
    const std::array<std::pair<const char*, QString>, 6> texts{
        {{"notifyEnded", tr("The &end of a run")},
         {"notifyFailed", tr("A &failed run")},
         {"notifyHang", tr("A run that is &held up")},
         {"notifyNan", tr("&NaN or infinity in a metric")},
         {"notifyPlateau", tr("A &plateau:")},
         {"notifyRules", tr("Own &rules:")}}};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto* box = new QCheckBox(texts[i].second, this);
        box->setObjectName(QString::fromLatin1(texts[i].first));
        kinds_[i] = box;
        connect(box, &QCheckBox::toggled, this, [this, kind = AlertKind(i)](bool on) {
            change([kind, on](Settings& settings) {
                auto& kinds = settings.notifications.alerts.kinds;
                on ? void(kinds.insert(kind)) : void(kinds.erase(kind));
            });
        });
        if (i < std::size_t(AlertKind::Plateau)) {
            form()->add_wide(box);
        }
    }
    auto* plateau = new QWidget(this);
    auto* row = new QHBoxLayout(plateau);
    row->setContentsMargins(0, 0, 0, 0);
    metric_->setObjectName(u"notifyPlateauMetric"_s);
    metric_->setAccessibleName(tr("Metric of the plateau"));
    steps_->setObjectName(u"notifyPlateauSteps"_s);
    steps_->setAccessibleName(tr("Steps of the plateau"));
    steps_->setRange(1, 1'000'000'000);
    steps_->setSuffix(tr(" steps"));
    steps_->setKeyboardTracking(false);
    row->addWidget(kinds_[std::size_t(AlertKind::Plateau)]);
    row->addWidget(metric_, 1);
    row->addWidget(make_label(tr("not better for"), plateau));
    row->addWidget(steps_);
    form()->add_wide(plateau);
    form()->add_wide(kinds_[std::size_t(AlertKind::Rule)]);
    rules_->setObjectName(u"notifyRuleLines"_s);
    rules_->setPlaceholderText(tr("loss > 10 for 50 steps\nacc1 < 0.2 for 1000 steps"));
    rules_->setTabChangesFocus(true);
    rules_->setFixedHeight(text_height(rules_->font(), kRuleLines) + 14);
    form()->add_row("rules", tr("R&ules, one a line"), rules_);
    connect(metric_, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (!text.trimmed().isEmpty()) {
            change([&text](Settings& settings) {
                settings.notifications.alerts.plateau_metric = ss(text.trimmed());
            });
        }
    });
    connect(steps_, &QSpinBox::valueChanged, this, [this](int steps) {
        change([steps](Settings& settings) { settings.notifications.alerts.plateau_steps = steps; });
    });
    connect(rules_, &QPlainTextEdit::textChanged, this, &NotificationSection::take_rules);
}

void NotificationSection::add_ways() {
    form()->add_title(tr("By"));
    desktop_->setObjectName(u"notifyDesktop"_s);
    sound_->setObjectName(u"notifySound"_s);
    form()->add_wide(desktop_);
    form()->add_wide(sound_);
    command_->setObjectName(u"notifyCommand"_s);
    command_->setPlaceholderText(tr("ntfy-of-mine --topic training"));
    form()->add_row("command", tr("&Command"), command_);
    auto* test = make_button(tr("&Try it"), "notifyTest", this);
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(test);
    layout->addStretch();
    form()->add_wide(row);
    connect(desktop_, &QCheckBox::toggled, this,
            [this](bool on) { change([on](Settings& settings) { settings.notifications.desktop = on; }); });
    connect(sound_, &QCheckBox::toggled, this,
            [this](bool on) { change([on](Settings& settings) { settings.notifications.sound = on; }); });
    connect(command_, &QLineEdit::textChanged, this, &NotificationSection::take_command);
    connect(test, &QPushButton::clicked, this, &NotificationSection::testRequested);
}

void NotificationSection::take_rules() {
    std::vector<AlertRule> rules;
    const QStringList lines = rules_->toPlainText().split(u'\n');
    QString problem;
    for (qsizetype i = 0; i < lines.size() && problem.isEmpty(); ++i) {
        if (lines[i].trimmed().isEmpty()) {
            continue;
        }
        const auto rule = parse_alert_rule(ss(lines[i]));
        if (rule) {
            rules.push_back(*rule);
        } else {
            problem = tr("Line %1: %2 %3").arg(i + 1).arg(qs(rule.failure().what), qs(rule.failure().remedy));
        }
    }
    form()->set_errors({{"rules", problem}});
    if (problem.isEmpty()) {
        change([&rules](Settings& settings) { settings.notifications.alerts.rules = rules; });
    }
}

void NotificationSection::take_command() {
    const auto words = alert_command_words(ss(command_->text()));
    form()->set_errors({{"command", words ? QString() : failure_text(words.failure())}});
    if (words) {
        change([this](Settings& settings) { settings.notifications.command = command_->text().trimmed(); });
    }
}

void NotificationSection::fill(const Settings& settings) {
    const NotificationSettings& own = settings.notifications;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        kinds_[i]->setChecked(own.alerts.kinds.contains(AlertKind(i)));
    }
    // What is being written is left alone.
    if (!metric_->hasFocus()) {
        metric_->setText(qs(own.alerts.plateau_metric));
    }
    steps_->setValue(int(own.alerts.plateau_steps));
    if (!rules_->hasFocus()) {
        rules_->setPlainText(rule_lines(own.alerts.rules));
    }
    desktop_->setChecked(own.desktop);
    sound_->setChecked(own.sound);
    if (!command_->hasFocus()) {
        command_->setText(own.command);
    }
    rules_->setEnabled(own.alerts.kinds.contains(AlertKind::Rule));
    metric_->setEnabled(own.alerts.kinds.contains(AlertKind::Plateau));
    steps_->setEnabled(own.alerts.kinds.contains(AlertKind::Plateau));
}

}  // namespace rankscope::gui
