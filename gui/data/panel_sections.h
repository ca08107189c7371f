// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <QVariantMap>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Some panels below one title.
struct PanelSection {
    std::string key;
    QString title;
    bool is_own = false;  ///< named by the user
    bool folded = false;
    std::vector<std::string> names;  ///< of the metrics, in their order

    bool operator==(const PanelSection&) const = default;
};

/// Which panels stand together: by what is before the "/" in a name, validation (val_…), times (t_…_ms), unless the user
/// has moved one to another section; and which sections are folded. A plain value.
class PanelSections {
public:
    static constexpr std::size_t kMost = 100;  ///< own sections, and prefixes that have one
    static constexpr qsizetype kTitle = 60;    ///< characters

    PanelSections() = default;
    /// What written() gave; wrong entries are left out.
    explicit PanelSections(const QVariantMap& written);
    QVariantMap written() const;

    /// In the order of their first metric.
    std::vector<PanelSection> of(const std::vector<std::string>& names) const;
    /// The key of the section that a metric is in.
    std::string section_of(const std::string& name) const;
    /// The one that its name puts it in.
    static std::string section_by_name(const std::string& name);
    /// All that a metric can be moved to: those of `names` and the own ones.
    std::vector<PanelSection> choices(const std::vector<std::string>& names) const;

    bool is_folded(const std::string& key) const { return folded_.contains(key); }
    void fold(const std::string& key, bool on);
    /// Moves a metric; to the section of its name: as if it had never been moved.
    void move(const std::string& name, const std::string& key);
    /// The key of a new section, or of the one that has this title; empty: there is no room, or no title.
    std::string add(const QString& title);
    /// An own section gets another title. False: another one has it, or it is empty.
    bool rename(const std::string& key, const QString& title);
    /// Of an own one; its metrics return to where their names put them.
    void remove(const std::string& key);

    bool operator==(const PanelSections&) const = default;

private:
    bool is_own(const std::string& key) const;

    std::vector<std::string> own_;              ///< keys
    std::map<std::string, std::string> moved_;  ///< metric → key
    std::set<std::string> folded_;
};

}  // namespace rankscope::gui
