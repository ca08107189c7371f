// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/event.h>
#include <remote/nccl_profiler/operations.h>

#include <array>
#include <cstdint>

namespace rankscope::nccl {

/// What a state of NCCL's proxy waits for.
enum class Wait : std::uint8_t { none, peer, gpu };
Wait wait_of(int state);

/// Network transfers of the operations in flight: one for each channel and direction. Waits are added to their
/// operation, so that waits for a peer and waits for the own GPU stay apart.
class NetworkTable {
public:
    void attach(const SharedFile& file);

    /// Id of the new entry; 0 when all places near are open.
    std::uint64_t begin(std::uint64_t operation, const StartEvent& event, std::uint64_t now);
    nccl_ring::NetworkOperation* find(std::uint64_t id);
    /// The state of the whole transfer changed (versions 1 to 3).
    void change_state(nccl_ring::NetworkOperation& entry, int state, nccl_ring::Operation* operation,
                      std::uint64_t now);
    /// Steps run several at a time; each place has its own wait.
    static std::uint8_t step_place(std::int32_t step) {
        return static_cast<std::uint8_t>(step & (kSteps - 1));
    }
    void begin_step(nccl_ring::NetworkOperation& entry, std::uint8_t place);
    void change_step(nccl_ring::NetworkOperation& entry, std::uint8_t place, int state,
                     nccl_ring::Operation* operation, std::uint64_t now);
    void end_step(nccl_ring::NetworkOperation& entry, std::uint8_t place, nccl_ring::Operation* operation,
                  std::uint64_t now);
    void end(nccl_ring::NetworkOperation& entry, nccl_ring::Operation* operation, std::uint64_t now);

private:
    static constexpr std::int32_t kSteps = 16;
    struct Step {
        std::uint64_t since = 0;
        Wait wait = Wait::none;
    };
    struct Local {
        std::uint64_t next_id = 0;
        std::uint32_t claimed = 0;
        Step whole;
        std::array<Step, kSteps> steps{};
    };
    Local& local(const nccl_ring::NetworkOperation& entry);
    static void change(Step& step, Wait wait, nccl_ring::Operation* operation, std::uint64_t now);

    nccl_ring::NetworkOperation* entries_ = nullptr;
    std::uint64_t cursor_ = 0;
    std::array<Local, kNetworkOperations> local_;
};

}  // namespace rankscope::nccl
