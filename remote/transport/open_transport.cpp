// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/text.h>
#include <remote/transport/local_transport.h>
#include <remote/transport/ssh_transport.h>
#include <remote/transport/transport.h>

namespace rankscope {

Result<std::unique_ptr<Transport>> open_transport(const NodeSpec& node, const Prompter& prompter,
                                                  std::stop_token stop,
                                                  const std::function<void(const std::string&)>& progress) {
    if (node.local) {
        return open_local_transport();
    }
    return open_ssh_transport(node, prompter, std::move(stop), progress);
}

Failure cancelled(const std::string& where) {
    return {"cancelled", where, text("Transport", "Cancelled."), "", ""};
}

}  // namespace rankscope
