// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::test {

/// The calling thread lives there from now on; empty: where it is. Throws when that is not possible.
void enter_namespace(const std::string& path);
/// In a thread of its own, which is over when this returns.
void in_namespace(const std::string& path, const std::function<void()>& work);

/// Network namespaces with names of their own, and cables between them; all is gone with this object. Needs root, ip
/// and nft.
class TestNetwork {
public:
    explicit TestNetwork(int nodes);
    ~TestNetwork();
    TestNetwork(const TestNetwork&) = delete;
    TestNetwork& operator=(const TestNetwork&) = delete;

    /// Why this machine cannot make them; empty: it can.
    const std::string& problem() const { return problem_; }
    /// For enter_namespace().
    std::string path(int node) const { return "/run/netns/" + name(node); }
    /// A shell's command line, in that node's namespace; throws when it fails.
    void run(int node, const std::string& command) const;
    /// veth; both ends are up. Addresses with their prefix length; "": none.
    void connect(int a, int b, const std::string& device_a, const std::string& device_b,
                 const std::vector<std::string>& addresses_a,
                 const std::vector<std::string>& addresses_b) const;
    /// Replaces the node's rules: the body of a table "inet test".
    void rules(int node, const std::string& body) const;
    void no_rules(int node) const;

private:
    std::string name(int node) const { return prefix_ + std::to_string(node); }

    std::string prefix_;
    std::string problem_;
    int nodes_ = 0;
};

/// A cable of our own between two namespaces: a tun device "far0" in each, and a thread that carries the packets with
/// a delay, loss and a rate, whatever queueing disciplines the kernel has.
class FarCable {
public:
    struct Quality {
        double delay_s = 0;       ///< one way
        double loss = 0;          ///< 0…1, of the packets of each direction
        double bytes_per_s = 0;   ///< of each direction; 0: no limit
        std::size_t largest = 0;  ///< longer packets vanish; 0: none does
    };

    FarCable(const TestNetwork& network, int a, int b, const std::string& address_a,
             const std::string& address_b, Quality quality);
    ~FarCable();

private:
    void carry();

    Quality quality_;
    UniqueFd ends_[2];
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

}  // namespace rankscope::test
