// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/bundle/bundle_file.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QMimeData>
#include <QUrl>

namespace rankscope::gui {

QString bundle_suffix() {
    return u".rankscope"_s;
}

QString bundle_filter() {
    return QCoreApplication::translate("BundleFile", "Failure bundles (*%1)").arg(bundle_suffix());
}

bool is_bundle_name(const QString& file) {
    return file.endsWith(bundle_suffix(), Qt::CaseInsensitive);
}

QStringList bundles_of(const QMimeData& dropped) {
    QStringList files;
    for (const QUrl& url : dropped.urls()) {
        if (url.isLocalFile() && is_bundle_name(url.toLocalFile())) {
            files += url.toLocalFile();
        }
    }
    return files;
}

}  // namespace rankscope::gui
