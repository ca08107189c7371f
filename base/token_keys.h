// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <string_view>

namespace rankscope {

/// What the processes of a run say to each other is authenticated by the run's random token. The token itself
/// is never sent from node to node: each use has a key of its own, derived here, so that what leaks from one
/// is of no use for another.
///
/// Sealed (without the token it cannot be read, forged, replayed or reordered): the native engine's store
/// (engine/comm/tcp_store.h) and the link between the supervisors (remote/agent/link/peer_link.h). The token
/// reaches the nodes over SSH. In the clear: the payload of the collectives. Gloo and NCCL send gradients,
/// weights and metrics between the nodes as plain TCP, RDMA or shared memory; everyone who can read that network sees
/// them, and everyone who can write to it can change them. The addresses of these connections are exchanged over
/// the sealed store. The store of a PyTorch script (MASTER_PORT) is torch's own: it has no authentication.
/// Run on a network that you trust, or encrypt it below (WireGuard, IPsec).
using TokenKey = std::array<unsigned char, 32>;

enum class TokenUse {
    EngineStore,  ///< the ranks of the native engine and the store of rank 0
    PeerLink,     ///< the supervisors
    Probe         ///< the connections of a preflight; the token is that of one node's listener
};

/// BLAKE2b. The same token and use give the same key on every node.
TokenKey derive_key(std::string_view token, TokenUse use);

}  // namespace rankscope
