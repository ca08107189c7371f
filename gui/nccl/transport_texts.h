// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/style/theme.h>
#include <remote/logs/facts/transport_findings.h>

#include <QPen>
#include <QString>

namespace rankscope::gui {

/// "P2P/NVLink", "InfiniBand, GPUDirect".
QString transport_text(logs::TransportKind kind);
/// Colour and dashes: each kind can be recognised without its colour, too.
QPen transport_pen(logs::TransportKind kind, const ThemeColors& colors, double width);

/// What is slower than it could be, where, and why.
QString finding_title(const logs::TransportFinding& finding, const logs::RunFacts& facts);
/// What that costs, and what to look at.
QString finding_cost(const logs::TransportFinding& finding);

/// "18:00.0" of NCCL's number of a bus id; empty: it was not printed.
QString bus_text(std::int64_t bus_id);

}  // namespace rankscope::gui
