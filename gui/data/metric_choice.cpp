// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_choice.h>
#include <gui/data/metric_format.h>
#include <gui/strings.h>

#include <QSettings>
#include <QUrl>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kDefaultPanels = 4;

/// A key without the slashes that QSettings reads as groups.
QString settings_key(const std::string& job_name) {
    return u"live/metrics/"_s + QString::fromLatin1(QUrl::toPercentEncoding(qs(job_name)));
}

}  // namespace

std::vector<std::string> default_metrics(const LiveData& data) {
    std::vector<std::string> names;
    for (const char* name : {"loss", "acc1", "images_per_s"}) {
        if (data.state.metrics.find(name)) {
            names.emplace_back(name);
        }
    }
    for (const std::string& name : data.state.metrics.all()) {
        if (names.size() < kDefaultPanels && !is_known_metric(name)) {
            names.push_back(name);
        }
    }
    if (names.empty()) {  // what there is, as far as it fits
        const auto& all = data.state.metrics.all();
        names.assign(all.begin(), all.begin() + std::ptrdiff_t(std::min(all.size(), kDefaultPanels)));
    }
    return names;
}

void MetricChoice::set_job(const std::string& job_name) {
    job_name_ = job_name;
    chosen_.reset();
    const QVariant stored = QSettings().value(settings_key(job_name));
    if (!stored.isValid()) {
        return;
    }
    chosen_.emplace();
    for (const QString& name : stored.toStringList()) {
        chosen_->push_back(ss(name));
    }
}

std::vector<std::string> MetricChoice::shown(const LiveData& data) const {
    return chosen_ ? *chosen_ : default_metrics(data);
}

void MetricChoice::choose(std::optional<std::vector<std::string>> names) {
    chosen_ = std::move(names);
    QSettings settings;
    if (!chosen_) {
        settings.remove(settings_key(job_name_));
        return;
    }
    QStringList list;
    for (const std::string& name : *chosen_) {
        list += qs(name);
    }
    settings.setValue(settings_key(job_name_), list);
}

}  // namespace rankscope::gui
