// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope {

/// When a field is in the JSON form.
enum class Written {
    IfSet,    ///< only where it is not 0, false or empty
    IfKnown,  ///< only where it is not negative
    Always,
};

}  // namespace rankscope
