// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/gloo_terminate.h>

#include <gloo/common/error.h>

#include <cstdlib>
#include <exception>
#include <utility>

namespace rankscope::engine {
namespace {

std::function<void(const std::string&)>& handler() {
    static std::function<void(const std::string&)> instance;
    return instance;
}

std::terminate_handler& before() {
    static std::terminate_handler instance = nullptr;
    return instance;
}

[[noreturn]] void on_terminate() {
    try {
        if (const std::exception_ptr current = std::current_exception()) {
            std::rethrow_exception(current);
        }
    } catch (const gloo::Exception& exception) {
        handler()(exception.what());
    } catch (...) {
        // Not ours to explain: the handler that was there before names it.
    }
    before()();
    std::abort();
}

}  // namespace

void end_on_exceptions_of_gloo(std::function<void(const std::string&)> lost) {
    handler() = std::move(lost);
    before() = std::set_terminate(on_terminate);
}

}  // namespace rankscope::engine
