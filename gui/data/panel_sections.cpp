// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/panel_sections.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <algorithm>

namespace rankscope::gui {

namespace {

// The first letter of a key tells what it is, so that no prefix is taken for one of the others.
const std::string kGeneral = "g";
const std::string kValidation = "v";
const std::string kTimes = "t";
constexpr char kPrefix = '/';
constexpr char kOwn = '=';
constexpr char kFormula = '=';           ///< kFormulaSign, before the name of a formula's panel
constexpr std::size_t kMostMoved = 600;  ///< as many metrics as a run has

struct Words {
    Q_DECLARE_TR_FUNCTIONS(PanelSections)
};

QString title_of(const std::string& key) {
    if (key == kGeneral) {
        return Words::tr("General");
    }
    if (key == kValidation) {
        return Words::tr("Validation");
    }
    if (key == kTimes) {
        return Words::tr("Times");
    }
    return qs(key.substr(1));
}

/// Of a section that comes from names.
bool is_by_name(const std::string& key) {
    return key == kGeneral || key == kValidation || key == kTimes ||
           (key.size() > 1 && key.front() == kPrefix);
}

QString clean(const QString& title) {
    return title.simplified().left(PanelSections::kTitle);
}

}  // namespace

PanelSections::PanelSections(const QVariantMap& written) {
    for (const QString& title : written.value(u"own"_s).toStringList()) {
        add(title);
    }
    const QVariantMap moved = written.value(u"moved"_s).toMap();
    for (auto at = moved.begin(); at != moved.end() && moved_.size() < kMostMoved; ++at) {
        const std::string key = ss(at.value().toString());
        if (is_by_name(key) || is_own(key)) {
            moved_[ss(at.key())] = key;
        }
    }
    for (const QString& key : written.value(u"folded"_s).toStringList()) {
        if (folded_.size() < kMostMoved) {
            folded_.insert(ss(key));
        }
    }
}

QVariantMap PanelSections::written() const {
    QStringList own;
    for (const std::string& key : own_) {
        own += title_of(key);
    }
    QVariantMap moved;
    for (const auto& [name, key] : moved_) {
        moved.insert(qs(name), qs(key));
    }
    QStringList folded;
    for (const std::string& key : folded_) {
        folded += qs(key);
    }
    return {{u"own"_s, own}, {u"moved"_s, moved}, {u"folded"_s, folded}};
}

std::string PanelSections::section_by_name(const std::string& name) {
    if (name.empty() || name.front() == kFormula) {
        return kGeneral;
    }
    const std::size_t slash = name.find('/');
    const std::string prefix = slash == std::string::npos ? std::string() : name.substr(0, slash);
    if (name.starts_with("val_") || prefix == "val") {
        return kValidation;
    }
    if (name.starts_with("t_") && name.ends_with("_ms")) {
        return kTimes;
    }
    return prefix.empty() || slash + 1 == name.size() ? kGeneral : kPrefix + prefix;
}

std::string PanelSections::section_of(const std::string& name) const {
    const auto moved = moved_.find(name);
    return moved == moved_.end() ? section_by_name(name) : moved->second;
}

std::vector<PanelSection> PanelSections::of(const std::vector<std::string>& names) const {
    std::vector<PanelSection> sections;
    for (const std::string& name : names) {
        std::string key = section_of(name);
        auto at = std::find_if(sections.begin(), sections.end(),
                               [&](const PanelSection& section) { return section.key == key; });
        if (at == sections.end() && sections.size() >= 2 * kMost) {
            at = std::prev(sections.end());  // a run may have a prefix for each of its names
        } else if (at == sections.end()) {
            at = sections.insert(at, {key, title_of(key), is_own(key), is_folded(key), {}});
        }
        at->names.push_back(name);
    }
    return sections;
}

std::vector<PanelSection> PanelSections::choices(const std::vector<std::string>& names) const {
    std::vector<PanelSection> sections = of(names);
    const auto add = [&](const std::string& key) {
        if (std::none_of(sections.begin(), sections.end(),
                         [&](const PanelSection& section) { return section.key == key; })) {
            sections.push_back({key, title_of(key), is_own(key), is_folded(key), {}});
        }
    };
    add(kGeneral);
    std::for_each(own_.begin(), own_.end(), add);
    return sections;
}

bool PanelSections::is_own(const std::string& key) const {
    return std::find(own_.begin(), own_.end(), key) != own_.end();
}

void PanelSections::fold(const std::string& key, bool on) {
    if (on) {
        folded_.insert(key);
    } else {
        folded_.erase(key);
    }
}

void PanelSections::move(const std::string& name, const std::string& key) {
    if (key == section_by_name(name)) {
        moved_.erase(name);
    } else if (moved_.size() < kMostMoved || moved_.contains(name)) {
        moved_[name] = key;
    }
}

std::string PanelSections::add(const QString& title) {
    const QString name = clean(title);
    const std::string key = kOwn + ss(name);
    if (name.isEmpty() || (own_.size() >= kMost && !is_own(key))) {
        return {};
    }
    if (!is_own(key)) {
        own_.push_back(key);
    }
    return key;
}

bool PanelSections::rename(const std::string& key, const QString& title) {
    const QString name = clean(title);
    const std::string renamed = kOwn + ss(name);
    const auto at = std::find(own_.begin(), own_.end(), key);
    if (at == own_.end() || name.isEmpty() || (renamed != key && is_own(renamed))) {
        return false;
    }
    *at = renamed;
    for (auto& [metric, section] : moved_) {
        section = section == key ? renamed : section;
    }
    if (folded_.erase(key) > 0) {
        folded_.insert(renamed);
    }
    return true;
}

void PanelSections::remove(const std::string& key) {
    std::erase(own_, key);
    std::erase_if(moved_, [&](const auto& entry) { return entry.second == key; });
    folded_.erase(key);
}

}  // namespace rankscope::gui
