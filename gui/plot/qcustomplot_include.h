// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

// QCustomPlot's header uses foreach, which this project forbids itself (QT_NO_FOREACH) and Qt therefore does
// not define. For its lines it is a range-based for.
#include <utility>

#ifdef foreach
#error "foreach is defined: build with QT_NO_FOREACH"
#endif
#define foreach(variable, container) for (variable : std::as_const(container))
#include <qcustomplot.h>
#undef foreach
