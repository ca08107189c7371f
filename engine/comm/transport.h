// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// How ranks without a GPU talk to one another.
enum class Transport {
    automatic,  ///< shared memory inside a host where it works, Gloo between hosts
    gloo        ///< Gloo between all ranks
};

}  // namespace rankscope::engine
