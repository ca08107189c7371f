// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// The two halves of a set. Augmentation is for the first alone.
enum class Split { train, test };

}  // namespace rankscope::engine
