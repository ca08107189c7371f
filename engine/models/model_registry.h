// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/models/models.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Names that build_model() accepts; the same as config::known_models().
std::vector<std::string> model_names();

/// The share of ImageNet-1k's validation images that the published weights get right, 0 to 1: torchvision's first ones
/// (IMAGENET1K_V1), else the table in Distribuuuu's README. Nothing where neither has one.
std::optional<double> published_accuracy(const std::string& name);

/// Builds a model for samples of the given shape. Throws ConfigError listing the known names when it is not
/// one, and for rates of a model that drops nothing.
Graph build_model(const std::string& name, const Shape& sample, std::int64_t classes,
                  const models::DropRates& rates = {});

}  // namespace rankscope::engine
