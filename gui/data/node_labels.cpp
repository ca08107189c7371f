// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/node_labels.h>
#include <gui/strings.h>

#include <algorithm>
#include <set>

namespace rankscope::gui {

namespace {

bool is_joint(QChar letter) {
    return letter == u'-' || letter == u'.' || letter == u'_';
}

/// How many characters all begin with, up to the last joint of the name: "gpu-rack1-01", "gpu-rack1-02": 10.
qsizetype shared_begin(const QStringList& names) {
    const QString& first = names.front();
    qsizetype shared = first.size();
    for (const QString& name : names) {
        const auto differs = std::mismatch(first.begin(), first.end(), name.begin(), name.end());
        shared = std::min(shared, qsizetype(differs.first - first.begin()));
    }
    while (shared > 0 && !is_joint(first[shared - 1])) {
        --shared;
    }
    return shared;
}

QString reversed(const QString& text) {
    QString back = text;
    std::reverse(back.begin(), back.end());
    return back;
}

}  // namespace

std::map<std::string, QString> node_labels(const std::vector<std::string>& names, int most) {
    std::map<std::string, QString> labels;
    QStringList long_names;
    for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
        labels[name] = qs(name);
        if (labels[name].size() > most) {
            long_names += labels[name];
        }
    }
    if (long_names.size() < 2) {
        return labels;
    }
    const qsizetype begin = shared_begin(long_names);
    QStringList rests;
    for (const QString& name : long_names) {
        rests += reversed(name.mid(begin));
    }
    const qsizetype end = shared_begin(rests);
    for (auto& [name, label] : labels) {
        if (label.size() <= most) {
            continue;
        }
        // As much of what is shared as there is room for, the part next to the difference.
        const qsizetype spare = std::max<qsizetype>(most - (label.size() - begin - end), 0);
        const qsizetype before = std::min(begin, spare);
        const qsizetype after = std::min(end, spare - before);
        const QString part = label.mid(begin - before, label.size() - begin - end + before + after);
        label = (before < begin ? u"…"_s : QString()) + part + (after < end ? u"…"_s : QString());
    }
    return labels;
}

}  // namespace rankscope::gui
