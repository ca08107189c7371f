// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_activity/collective_report.h>

#include <QColor>
#include <QString>
#include <string>

namespace rankscope::gui {

/// "812 ns", "12.3 µs", "4.56 ms", "61.2 s"; "–" for 0.
QString latency_text(double seconds);
/// "45.1 GB/s"; "–" for 0.
QString bandwidth_text(double bytes_per_s);
/// "1.5 MiB".
QString size_text(double bytes);
/// "38 %"; "<1 %" for what is not nothing.
QString share_text(double share);
/// "dp, 16 ranks", "0xc0ffee, 8 ranks".
QString communicator_text(const ReportCommunicator& communicator);
/// The same colour for a function in every picture.
QColor function_color(const std::string& function, bool dark);
/// Why nothing can be seen of a rank (NcclEvent::unavailable), as a sentence.
QString unavailable_text(const std::string& reason);

}  // namespace rankscope::gui
