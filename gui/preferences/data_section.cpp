// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/preferences/data_section.h>
#include <gui/preferences/retention_dialog.h>
#include <gui/session/output_limit.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace rankscope::gui {

namespace {

QSpinBox* make_limit(const char* object_name, int most, const QString& none, const QString& unit,
                     QWidget* parent) {
    auto* spin = new QSpinBox(parent);
    spin->setObjectName(QString::fromLatin1(object_name));
    spin->setRange(0, most);
    spin->setSpecialValueText(none);
    spin->setSuffix(unit);
    leave_wheel_to_page(spin);
    spin->setKeyboardTracking(false);  // "90" is not first 9 and then 90
    return spin;
}

}  // namespace

DataSection::DataSection(SettingsFile* file, Workspace* workspace, QWidget* parent)
    : SettingsSection(SettingsPart::Data, tr("Data"), file, parent),
      workspace_(workspace),
      measure_job_(this, workspace->pool()),
      disk_job_(this, workspace->pool()),
      live_(new ComboBox(this)),
      runs_(new QSpinBox(this)),
      fleet_(new QSpinBox(this)),
      output_(make_limit("settingsOutput", 1'000'000, tr("as the disk allows"), tr(" MB"), this)),
      output_note_(make_label({}, this, "muted")),
      used_(make_label(tr("reading…"), this)),
      days_(make_limit("settingsKeepDays", 36500, tr("for ever"), tr(" days"), this)),
      size_(make_limit("settingsKeepSize", 1 << 30, tr("without limit"), tr(" MiB"), this)),
      preview_(make_button(tr("&Preview…"), "settingsPreview", this)) {
    leave_wheel_to_page(runs_);
    leave_wheel_to_page(fleet_);
    add_refresh();
    add_output();
    add_storage();
    add_note(
        tr("Starred runs and runs in progress are never removed. Nothing is removed before you have seen the "
           "list and confirmed it."));
    column()->addStretch();
}

void DataSection::add_refresh() {
    form()->add_title(tr("Refresh"));
    live_->setObjectName(u"settingsLiveRefresh"_s);
    for (const int times : {20, 10, 4, 2, 1}) {
        live_->addItem(times == 1 ? tr("once a second") : tr("%1 times a second").arg(times), 1000 / times);
    }
    form()->add_row("live", tr("&Live shows new data"), live_);
    runs_->setObjectName(u"settingsRunsRefresh"_s);
    runs_->setRange(1, 3600);
    runs_->setPrefix(tr("every "));
    runs_->setSuffix(tr(" s"));
    form()->add_row("runs", tr("&Runs reads its list"), runs_);
    fleet_->setObjectName(u"settingsFleetRefresh"_s);
    fleet_->setRange(1, 3600);
    fleet_->setPrefix(tr("every "));
    fleet_->setSuffix(tr(" s"));
    form()->add_row("fleet", tr("&Fleet reads its nodes"), fleet_, nullptr,
                    tr("Use, memory and temperature, while Fleet is on view"));
    connect(fleet_, &QSpinBox::valueChanged, this, [this](int seconds) {
        change([seconds](Settings& settings) { settings.fleet_refresh_s = seconds; });
    });
    connect(live_, &QComboBox::currentIndexChanged, this, [this] {
        change([this](Settings& settings) { settings.live_refresh_ms = live_->currentData().toInt(); });
    });
    connect(runs_, &QSpinBox::valueChanged, this, [this](int seconds) {
        change([seconds](Settings& settings) { settings.runs_refresh_s = seconds; });
    });
}

void DataSection::add_output() {
    form()->add_title(tr("Output of the ranks"));
    output_->setSingleStep(100);
    form()->add_row("output", tr("&Output kept of each run"), output_);
    output_note_->setObjectName(u"settingsOutputNote"_s);
    output_note_->setWordWrap(true);
    form()->add_row("output_note", QString(), output_note_);
    connect(output_, &QSpinBox::valueChanged, this, [this](int megabytes) {
        change([megabytes](Settings& settings) { settings.output_mb = megabytes; });
    });
    disk_job_.start([path = workspace_->options().store_path()](const JobHandle&) { return disk_free(path); },
                    [this](std::int64_t free) { show_output_default(free); });
}

void DataSection::show_output_default(std::int64_t free) {
    constexpr std::uint64_t kMegabyte = 1'000'000;
    output_note_->setText(
        tr("The default is a tenth of the free space of the run store's disk, from %1 MB to 2000 MB: now %2 "
           "MB. "
           "Beyond the limit, a few lines per second and rank are kept. It counts for runs that start or are "
           "attached to from now on.")
            .arg(default_output_limit(0) / kMegabyte)
            .arg(default_output_limit(free) / kMegabyte));
}

void DataSection::add_storage() {
    form()->add_title(tr("Stored runs"));
    used_->setObjectName(u"settingsUsed"_s);
    used_->setWordWrap(true);
    form()->add_row("used", tr("Used now"), used_);
    form()->add_row("days", tr("&Keep runs"), days_);
    form()->add_row("size", tr("Keep at &most"), size_);
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(preview_);
    layout->addStretch();
    form()->add_row("preview", QString(), row, preview_);
    preview_->setAccessibleName(tr("Preview what would be removed"));
    preview_->setToolTip(tr("The runs that these limits would remove now"));
    connect(days_, &QSpinBox::valueChanged, this,
            [this](int days) { change([days](Settings& settings) { settings.keep_days = days; }); });
    connect(size_, &QSpinBox::valueChanged, this, [this](int mebibytes) {
        change([mebibytes](Settings& settings) { settings.keep_mib = mebibytes; });
    });
    connect(preview_, &QPushButton::clicked, this, &DataSection::preview);
    connect(workspace_, &Workspace::storeSettled, this, &DataSection::measure);
}

void DataSection::fill(const Settings& settings) {
    int row = 0;  // of the slowest that is at least as fast
    for (int i = 0; i < live_->count(); ++i) {
        row = live_->itemData(i).toInt() <= settings.live_refresh_ms ? i : row;
    }
    live_->setCurrentIndex(row);
    runs_->setValue(settings.runs_refresh_s);
    fleet_->setValue(settings.fleet_refresh_s);
    output_->setValue(settings.output_mb);
    days_->setValue(settings.keep_days);
    size_->setValue(settings.keep_mib);
    preview_->setEnabled(settings.retention().limited() && workspace_->store());
}

void DataSection::showEvent(QShowEvent* event) {
    SettingsSection::showEvent(event);
    measure();
}

void DataSection::measure() {
    preview_->setEnabled(now().retention().limited() && workspace_->store());
    if (!workspace_->store()) {
        used_->setText(workspace_->store_failure() ? failure_text(*workspace_->store_failure())
                                                   : tr("reading…"));
        return;
    }
    const auto path = workspace_->options().store_path();
    measure_job_.start(
        [path](const JobHandle&) { return measure_store(path); },
        [this, path](const Result<StoreUse>& use) {
            const QString file = qs(path.string());
            if (!use) {
                used_->setText(failure_text(use.failure()));
                return;
            }
            QString text = tr("%1 in %2").arg(bytes_text(std::uint64_t(use->bytes)), file);
            if (use->disk_free >= 0) {
                text += tr(" · %1 free on its disk").arg(bytes_text(std::uint64_t(use->disk_free)));
            }
            used_->setText(text);
        });
}

void DataSection::preview() {
    if (!workspace_->store()) {
        return;
    }
    auto* dialog = new RetentionDialog(workspace_->store(), workspace_->options().store_path(),
                                       now().retention(), workspace_->pool(), window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::finished, this, &DataSection::measure);
    dialog->open();
}

}  // namespace rankscope::gui
