// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/preferences/appearance_section.h>
#include <gui/settings/language.h>
#include <gui/strings.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>

#include <QFontDatabase>
#include <QPainter>
#include <QSpinBox>
#include <QVBoxLayout>

namespace rankscope::gui {

/// The first colours of ranks, as they are now.
class SwatchRow : public QWidget {
public:
    explicit SwatchRow(QWidget* parent) : QWidget(parent) {
        setAccessibleName(AppearanceSection::tr("Colours of ranks 0 to 15"));
    }
    QSize sizeHint() const override { return {kCount * kStep, kSide}; }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        const bool dark = is_dark(palette());
        for (int rank = 0; rank < kCount; ++rank) {
            painter.setBrush(rank_color(rank, dark));
            painter.drawRoundedRect(QRectF(rank * kStep, (height() - kSide) / 2.0, kSide, kSide), 3, 3);
        }
    }

private:
    static constexpr int kCount = 16;
    static constexpr int kSide = 18;
    static constexpr int kStep = 22;
};

AppearanceSection::AppearanceSection(SettingsFile* file, QWidget* parent)
    : SettingsSection(SettingsPart::Appearance, tr("Appearance"), file, parent),
      theme_(new ComboBox(this)),
      language_(new ComboBox(this)),
      family_(new ComboBox(this)),
      font_(new QSpinBox(this)),
      colors_(new ComboBox(this)),
      swatches_(new SwatchRow(this)) {
    leave_wheel_to_page(font_);
    theme_->setObjectName(u"settingsTheme"_s);
    theme_->addItem(tr("As the system"), int(LookTheme::System));
    theme_->addItem(tr("Light"), int(LookTheme::Light));
    theme_->addItem(tr("Dark"), int(LookTheme::Dark));
    theme_->addItem(tr("High contrast"), int(LookTheme::HighContrast));
    form()->add_row("theme", tr("&Theme"), theme_);
    language_->setObjectName(u"settingsLanguage"_s);
    language_->addItem(tr("As the system"), u"system"_s);
    for (const Language& language : languages()) {
        language_->addItem(language.name, language.code);
    }
    form()->add_row("language", tr("&Language"), language_, nullptr, tr("From the next start on"));
    family_->setObjectName(u"settingsFamily"_s);
    family_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    family_->addItem(tr("As the system"), QString());
    for (const QString& family : QFontDatabase::families()) {
        if (!QFontDatabase::isPrivateFamily(family) && QFontDatabase::isSmoothlyScalable(family)) {
            family_->addItem(family, family);
        }
    }
    form()->add_row("family", tr("F&ont"), family_);
    font_->setObjectName(u"settingsFont"_s);
    font_->setRange(6, 24);
    font_->setSpecialValueText(tr("As the system"));
    font_->setSuffix(tr(" pt"));
    form()->add_row("font", tr("&Font size"), font_);
    colors_->setObjectName(u"settingsRankColors"_s);
    colors_->addItem(tr("Okabe and Ito: for colour-blind eyes, too"), int(RankColors::OkabeIto));
    colors_->addItem(tr("Tableau: as in matplotlib"), int(RankColors::Tableau));
    colors_->addItem(tr("One hue, from dark to light: for print"), int(RankColors::Brightness));
    form()->add_row("colors", tr("&Colours of ranks"), colors_);
    form()->add_row("swatches", QString(), swatches_);
    column()->addStretch();
    connect(theme_, &QComboBox::currentIndexChanged, this, [this] {
        change(
            [this](Settings& settings) { settings.look.theme = LookTheme(theme_->currentData().toInt()); });
    });
    connect(language_, &QComboBox::currentIndexChanged, this, [this] {
        change([this](Settings& settings) { settings.language = language_->currentData().toString(); });
    });
    connect(family_, &QComboBox::currentIndexChanged, this, [this] {
        change([this](Settings& settings) { settings.look.font_family = family_->currentData().toString(); });
    });
    connect(font_, &QSpinBox::valueChanged, this, [this](int points) {
        change([this, points](Settings& settings) {
            settings.look.font_points = points == font_->minimum() ? 0 : points;
        });
    });
    connect(colors_, &QComboBox::currentIndexChanged, this, [this] {
        change([this](Settings& settings) {
            settings.look.rank_colors = RankColors(colors_->currentData().toInt());
        });
        swatches_->update();
    });
}

void AppearanceSection::fill(const Settings& settings) {
    theme_->setCurrentIndex(theme_->findData(int(settings.look.theme)));
    language_->setCurrentIndex(language_->findData(settings.language));
    if (const QString& family = settings.look.font_family; family_->findData(family) < 0) {
        family_->addItem(tr("%1 (not installed)").arg(family), family);
    }
    family_->setCurrentIndex(family_->findData(settings.look.font_family));
    font_->setValue(settings.look.font_points == 0 ? font_->minimum() : settings.look.font_points);
    colors_->setCurrentIndex(colors_->findData(int(settings.look.rank_colors)));
    swatches_->update();
}

}  // namespace rankscope::gui
