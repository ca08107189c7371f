// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/transport/local_transport.h>
#include <remote/desk/nodes/transport/process_channel.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline nodes {
namespace {

class LocalTransport : public Transport {
public:
    LocalTransport() { info_.description = text("Transport", "this computer"); }

    Result<std::unique_ptr<Channel>> exec(const std::string& command) override {
        auto program = start_program({"/bin/sh", "-c", command});
        if (!program) {
            return program.failure();
        }
        return std::unique_ptr<Channel>(std::move(*program));
    }
    const ConnectionInfo& info() const override { return info_; }

private:
    ConnectionInfo info_;
};

}  // namespace

Result<std::unique_ptr<Transport>> open_local_transport() {
    return std::unique_ptr<Transport>(std::make_unique<LocalTransport>());
}

}  // namespace rankscope::inline nodes
