// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <QStringList>

class QMimeData;

namespace rankscope::gui {

/// ".rankscope"
QString bundle_suffix();
/// For file dialogs.
QString bundle_filter();
/// Whether a file has the name of a failure bundle.
bool is_bundle_name(const QString& file);
/// The failure bundles among the local files that are dropped.
QStringList bundles_of(const QMimeData& dropped);

}  // namespace rankscope::gui
