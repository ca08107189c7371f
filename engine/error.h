// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <stdexcept>
#include <string>

namespace rankscope::engine {

/// What can go wrong outside the program: says what, where, and what to do. Caught once, in the worker's
/// main.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The configuration or the command line is wrong: exit code 2.
class ConfigError : public Error {
public:
    using Error::Error;
};

/// A model's shapes do not fit together or do not fit the data: names the layer and the shapes.
class ShapeError : public ConfigError {
public:
    using ConfigError::ConfigError;
};

/// Another rank went away: this rank's end is a consequence (exit code kExitPeerLost).
class PeerLostError : public Error {
public:
    explicit PeerLostError(const std::string& what, int rank = -1) : Error(what), rank_(rank) {}
    /// The rank that is lost; −1: not known.
    int rank() const { return rank_; }

private:
    int rank_;
};

}  // namespace rankscope::engine
