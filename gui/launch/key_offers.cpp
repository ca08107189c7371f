// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/dataset_config.h>
#include <gui/launch/key_offers.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <map>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(KeyOffers)
};

QString numbers_text(const std::vector<double>& numbers) {
    QStringList all;
    for (const double number : numbers) {
        all += QString::number(number);
    }
    return all.join(u", "_s);
}

QString steps_text(const config::AugmentConfig& augment) {
    QStringList steps;
    if (augment.random_crop) {
        steps += Words::tr("crop at random with a border of %1 pixels").arg(augment.random_crop->padding);
    }
    if (augment.random_resized_crop) {
        steps += Words::tr("crop a part at random and resize it");
    }
    if (augment.horizontal_flip) {
        steps += Words::tr("flip left to right");
    }
    return steps.isEmpty() ? Words::tr("nothing for this data set") : steps.join(u"; "_s);
}

}  // namespace

std::vector<KeyOffer> augment_offers(const std::string& dataset) {
    return {{u"none"_s, Words::tr("images as they are")},
            {u"standard"_s,
             Words::tr("as the tutorials of the set: %1").arg(steps_text(config::standard_augment(dataset)))},
            {u"[random_crop, horizontal_flip]"_s, Words::tr("small images, such as CIFAR")},
            {u"[random_resized_crop, horizontal_flip]"_s, Words::tr("photographs, such as ImageNet")},
            {u"[{ random_crop: { padding: 4 } }, { horizontal_flip: { p: 0.5 } }]"_s,
             Words::tr("with values, to change")}};
}

std::vector<KeyOffer> normalize_offers() {
    std::vector<KeyOffer> offers;
    for (const std::string& name : config::known_normalizes()) {
        const config::NormalizeConfig* named = config::named_normalize(name);
        offers.push_back(
            {qs(name),
             Words::tr("mean %1; deviation %2").arg(numbers_text(named->mean), numbers_text(named->std))});
    }
    offers.push_back({u"{ mean: 0.5, std: 0.5 }"_s, Words::tr("from −1 to 1; values to change")});
    return offers;
}

std::vector<KeyOffer> interface_offers(const std::vector<std::pair<std::string, NodeFacts>>& nodes) {
    std::map<std::string, QStringList> places;  // by interface
    for (const auto& [node, facts] : nodes) {
        for (const InterfaceFacts& each : facts.interfaces) {
            if (each.up && !each.loopback && !each.addresses.empty()) {
                places[each.name] += u"%1 %2"_s.arg(qs(node), qs(each.addresses.front()));
            }
        }
    }
    std::vector<KeyOffer> offers{{u"auto"_s, Words::tr("the one that reaches the master")}};
    const auto add = [&](bool on_all) {
        for (const auto& [name, at] : places) {
            if ((at.size() == qsizetype(nodes.size())) != on_all) {
                continue;
            }
            constexpr qsizetype kShown = 3;
            QString text = at.mid(0, kShown).join(u", "_s) + (at.size() > kShown ? u" …"_s : QString());
            if (!on_all) {
                text = Words::tr("not on all nodes: %1").arg(text);
            }
            offers.push_back({qs(name), text});
        }
    };
    add(true);
    add(false);
    return offers;
}

}  // namespace rankscope::gui
