// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::gui {

/// Keeps freed memory from staying with a window that is open all day. glibc (mallopt(3)) raises the size from which
/// a block is mapped on its own to that of the largest one freed, up to 32 MiB; blocks of curves and logs then lie
/// among small ones, and what they leave cannot be returned. A fixed size turns that off. First in main(): threads that
/// run already may have heaps. No effect without glibc.
void keep_heap_compact();

}  // namespace rankscope::gui
