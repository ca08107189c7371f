// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/failure_bundle/bundle_draft.h>

class QTableWidget;
class QWidget;

namespace rankscope::gui {

/// The files of a bundle: name, size, what they are.
QTableWidget* make_parts_table(QWidget* parent);
void fill_parts(QTableWidget* table, const std::vector<BundlePart>& parts);

/// What is replaced in a bundle: what, where, how often, why.
QTableWidget* make_redactions_table(QWidget* parent);
void fill_redactions(QTableWidget* table, const std::vector<Redaction>& redactions);

}  // namespace rankscope::gui
