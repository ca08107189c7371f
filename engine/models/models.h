// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

/// One file per family; each function builds the network for samples of the given shape. Names and order of
/// the parameters are those of the PyTorch (torchvision) module. Shapes that do not fit throw ShapeError.
namespace rankscope::engine::models {

/// What training leaves out; 0: nothing, and the network has no operation for it.
struct DropRates {
    double dropout = 0.0;  ///< of elements (Dropout)
    double path =
        0.0;  ///< stochastic depth: of the samples of the last residual branch; before it, in proportion
};

/// The ConvNet of the distributed-training tutorials: 113 674 parameters for 28×28 images and ten classes.
Graph convnet(const Shape& sample, std::int64_t classes);
/// One hidden layer of 128: small enough that a step costs less than its bookkeeping.
Graph mlp(const Shape& sample, std::int64_t classes);
/// The DataParallel tutorial's Model: one linear layer; trained on the mean squared error.
Graph linear(const Shape& sample, std::int64_t outputs);
/// The DDP tutorial's ToyModel: net1 (10), ReLU, net2; trained on the mean squared error.
Graph toy(const Shape& sample, std::int64_t outputs);
/// The CNN of Paddle's data-parallel example: 122 570 parameters on CIFAR-10.
Graph paddle_cnn(const Shape& sample, std::int64_t classes);
/// Seven 3×3 convolutions with batch norms and GELUs for CIFAR-10, 2 million parameters, in the manner of airbench94.
Graph cifarnet(const Shape& sample, std::int64_t classes);

/// He et al., "Deep Residual Learning for Image Recognition" (2015), table 1, as in torchvision.
Graph resnet18(const Shape& sample, std::int64_t classes);
Graph resnet34(const Shape& sample, std::int64_t classes);
Graph resnet50(const Shape& sample, std::int64_t classes);
Graph resnet101(const Shape& sample, std::int64_t classes);
Graph resnet152(const Shape& sample, std::int64_t classes);
/// Xie et al., "Aggregated Residual Transformations for Deep Neural Networks" (2017), as in torchvision.
Graph resnext50_32x4d(const Shape& sample, std::int64_t classes);
Graph resnext101_32x8d(const Shape& sample, std::int64_t classes);
/// Zagoruyko, Komodakis, "Wide Residual Networks" (2016), as in torchvision: twice as wide inside the bottlenecks.
Graph wide_resnet50_2(const Shape& sample, std::int64_t classes);
Graph wide_resnet101_2(const Shape& sample, std::int64_t classes);
/// Radosavovic et al., "Designing Network Design Spaces" (2020), as in timm, with its parameter names.
Graph regnetx_002(const Shape& sample, std::int64_t classes);
Graph regnetx_160(const Shape& sample, std::int64_t classes);
Graph regnety_002(const Shape& sample, std::int64_t classes);
Graph regnety_160(const Shape& sample, std::int64_t classes);
Graph regnety_320(const Shape& sample, std::int64_t classes);
/// Huang et al., "Densely Connected Convolutional Networks" (2017), as in torchvision.
Graph densenet121(const Shape& sample, std::int64_t classes);
Graph densenet161(const Shape& sample, std::int64_t classes);
Graph densenet169(const Shape& sample, std::int64_t classes);
Graph densenet201(const Shape& sample, std::int64_t classes);
/// Tan, Le, "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks" (2019), as in timm: dropout before
/// the last layer.
Graph efficientnet_b0(const Shape& sample, std::int64_t classes, const DropRates& rates);
/// Srinivas et al., "Bottleneck Transformers for Visual Recognition" (2021), as in Distribuuuu, which fixes 224 pixels and
/// 1,000 classes: its parameters have the numbers of a torch.nn.Sequential.
Graph botnet50(const Shape& sample, std::int64_t classes);
/// Dosovitskiy et al., "An Image is Worth 16x16 Words" (2021), as in timm; for images of any multiple of 16 pixels. Dropout
/// before the last layer.
Graph vit_tiny_patch16_224(const Shape& sample, std::int64_t classes, const DropRates& rates);
Graph vit_small_patch16_224(const Shape& sample, std::int64_t classes, const DropRates& rates);
/// Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), with nanoGPT's parameter names and its
/// dropout: after the embeddings, of the attention's shares, at the end of each branch. Samples are {tokens}; the classes are
/// the vocabulary. gpt2 has 124 million parameters and 1,024 positions, gpt2-mini 4 layers of 128 channels and as many
/// positions as a sample has tokens.
Graph gpt2(const Shape& sample, std::int64_t vocabulary, const DropRates& rates);
Graph gpt2_mini(const Shape& sample, std::int64_t vocabulary, const DropRates& rates);

}  // namespace rankscope::engine::models
