// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_choice.h>
#include <gui/data/metric_format.h>
#include <gui/strings.h>

#include <QSettings>
#include <QUrl>
#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kDefaultPanels = 4;

/// A key without the slashes that QSettings reads as groups.
constexpr std::size_t kMostPanels = 600;  ///< as many metrics as a run has

QString settings_key(const std::string& job_name, const QString& group = u"metrics"_s) {
    return QString(u"live/"_s % group % u'/' % QString::fromLatin1(QUrl::toPercentEncoding(qs(job_name))));
}

constexpr qsizetype kTitle = 120;  ///< characters
constexpr std::array kUnits{MetricUnit::Number, MetricUnit::Share, MetricUnit::Milliseconds,
                            MetricUnit::Rate};

QString unit_key(MetricUnit unit) {
    constexpr std::array keys{"number", "percent", "ms", "rate"};
    return QString::fromLatin1(keys[std::size_t(unit)]);
}

MetricUnit unit_of(const QString& key) {
    const auto at =
        std::find_if(kUnits.begin(), kUnits.end(), [&](MetricUnit unit) { return unit_key(unit) == key; });
    return at == kUnits.end() ? MetricUnit::Number : *at;
}

/// "heat log smoothing=0.9 unit=ms title=Mine"
QString written(const PanelSettings& settings) {
    QStringList words;
    if (settings.heat) {
        words += u"heat"_s;
    }
    if (settings.log) {
        words += u"log"_s;
    }
    if (settings.smoothing) {
        words += u"smoothing=%1"_s.arg(*settings.smoothing);
    }
    if (settings.unit != MetricUnit::Number) {
        words += QString(u"unit="_s % unit_key(settings.unit));
    }
    if (!settings.title.empty()) {
        words += QString(u"title="_s % QString::fromLatin1(QUrl::toPercentEncoding(qs(settings.title))));
    }
    return words.join(u' ');
}

PanelSettings read_settings(const QString& text) {
    PanelSettings settings;
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts)) {
        settings.heat = settings.heat || word == u"heat"_s;
        settings.log = settings.log || word == u"log"_s;
        if (word.startsWith(u"unit="_s)) {
            settings.unit = unit_of(word.mid(5));
        } else if (word.startsWith(u"title="_s)) {
            settings.title = ss(QUrl::fromPercentEncoding(word.mid(6).toLatin1()).left(kTitle));
        } else if (word.startsWith(u"smoothing="_s)) {
            bool good = false;
            const double alpha = word.mid(10).toDouble(&good);
            if (good && alpha >= 0 && alpha < 1) {
                settings.smoothing = alpha;
            }
        }
    }
    return settings;
}

}  // namespace

std::vector<std::string> default_metrics(const LiveData& data) {
    std::vector<std::string> names;
    for (const char* name : {"loss", "acc1", "images_per_s", "tokens_per_s"}) {
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
    const QSettings kept;
    unit_ = x_unit_of(kept.value(settings_key(job_name, u"x"_s)).toString());
    log_ = kept.value(settings_key(job_name, u"x-log"_s)).toBool();
    smoothing_ = std::clamp(kept.value(settings_key(job_name, u"smoothing"_s), 0).toInt(), 0, kMostSmoothing);
    lines_ = ss(kept.value(settings_key(job_name, u"lines"_s)).toString());
    sections_ = PanelSections(kept.value(settings_key(job_name, u"sections"_s)).toMap());
    settings_.clear();
    const QVariantMap panels = kept.value(settings_key(job_name, u"panels"_s)).toMap();
    for (auto panel = panels.begin(); panel != panels.end() && settings_.size() < kMostPanels; ++panel) {
        settings_[ss(panel.key())] = read_settings(panel.value().toString());
    }
    const QVariant stored = kept.value(settings_key(job_name));
    if (!stored.isValid()) {
        return;
    }
    chosen_.emplace();
    for (const QString& name : stored.toStringList()) {
        chosen_->push_back(ss(name));
    }
}

void MetricChoice::keep_unit(XUnit unit) {
    unit_ = unit;
    QSettings().setValue(settings_key(job_name_, u"x"_s), x_unit_key(unit));
}

void MetricChoice::keep_log(bool log) {
    log_ = log;
    QSettings().setValue(settings_key(job_name_, u"x-log"_s), log);
}

void MetricChoice::keep_smoothing(int percent) {
    smoothing_ = std::clamp(percent, 0, kMostSmoothing);
    QSettings().setValue(settings_key(job_name_, u"smoothing"_s), smoothing_);
}

void MetricChoice::keep_lines(const std::string& pattern) {
    lines_ = pattern;
    QSettings().setValue(settings_key(job_name_, u"lines"_s), qs(pattern));
}

void MetricChoice::keep_sections(const PanelSections& sections) {
    sections_ = sections;
    QSettings().setValue(settings_key(job_name_, u"sections"_s), sections.written());
}

void MetricChoice::keep_settings(const std::map<std::string, PanelSettings>& settings) {
    settings_ = settings;
    QVariantMap panels;
    for (const auto& [name, panel] : settings) {
        if (const QString text = written(panel); !text.isEmpty()) {
            panels.insert(qs(name), text);
        }
    }
    QSettings().setValue(settings_key(job_name_, u"panels"_s), panels);
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
