// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "temporary_folder.h"

#include <engine/checkpoint/safetensors.h>
#include <engine/checkpoint/state_dict_file.h>
#include <engine/checkpoint/torch_archive.h>
#include <engine/checkpoint/torch_checkpoint.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

namespace rankscope::engine::test {
namespace {

namespace fs = std::filesystem;

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TensorRecord numbers(const std::string& name, const Shape& shape, float first) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    std::iota(values.begin(), values.end(), first);
    return float_tensor(name, shape, values);
}

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// ---- pickle

/// The trees refer to these.
PickleTree pickle(const std::string& body) {
    static std::deque<std::string> kept;
    return read_pickle(kept.emplace_back("\x80\x02" + body + "."));
}
std::string refusal(const std::string& body) {
    return message_of([&] { pickle(body); });
}

TEST(Pickle, NumbersTextsAndContainers) {
    const PickleTree tree =
        pickle(std::string("(K\x07M\x01\x02J\xfe\xff\xff\xff\x8a\x01\x80\x8a\x00"
                           "G\xbf\xf8\0\0\0\0\0\0X\x02\0\0\0\xc3\xa9\x88\x89N]}t",
                           38));
    const auto& items = std::get<PickleTuple>(tree.at(tree.root)).items;
    ASSERT_EQ(items.size(), 12U);
    EXPECT_EQ(tree.integer(items[0]), 7);
    EXPECT_EQ(tree.integer(items[1]), 513);
    EXPECT_EQ(tree.integer(items[2]), -2);
    EXPECT_EQ(tree.integer(items[3]), -128);
    EXPECT_EQ(tree.integer(items[4]), 0);
    EXPECT_EQ(tree.number(items[5]), -1.5);
    EXPECT_EQ(tree.text(items[6]), "é");
    EXPECT_TRUE(std::get<bool>(tree.at(items[7])));
    EXPECT_FALSE(std::get<bool>(tree.at(items[8])));
    EXPECT_TRUE(std::holds_alternative<PickleNone>(tree.at(items[9])));
    EXPECT_TRUE(std::holds_alternative<PickleList>(tree.at(items[10])));
    EXPECT_TRUE(std::holds_alternative<PickleDict>(tree.at(items[11])));
}

TEST(Pickle, ARepeatedKeyCountsLast) {
    const PickleTree tree =
        pickle(std::string("}(U\x01"
                           "aK\x01U\x01"
                           "aK\x02U\x01"
                           "bK\x03u"));
    EXPECT_EQ(tree.integer(tree.find(tree.root, "a").value()), 2);
    EXPECT_FALSE(tree.find(tree.root, "c").has_value());
}

TEST(Pickle, NothingIsRunAndNothingBrokenIsRead) {
    const std::string list_in_itself =
        "]q\x01h\x01"
        "a";
    const std::vector<std::pair<std::string, std::string>> cases{
        {refusal("cos\nsystem\nU\x04true\x85R"), "os.system"},
        {refusal("cbuiltins\neval\n"), "builtins.eval"},
        {refusal("cnumpy.core.multiarray\nscalar\n"), "numpy.core.multiarray.scalar"},
        {refusal("ctorch\nFloatStorage\n)R"), "does not use"},
        {refusal("ccollections\nOrderedDict\n(K\x01tR"), "does not use"},
        {refusal("K\x01K\x02R"), "arguments are needed"},
        {refusal(""), "a value is missing"},
        {refusal("K\x01K\x02"), "left over"},
        {refusal("(K\x01"), "left over"},
        {refusal("K\x01t"), "a mark is missing"},
        {refusal("h\x05"), "not there"},
        {refusal("]N(K\x01u"), "a dict is needed"},
        {refusal("}(K\x01u"), "without a value"},
        {refusal("}N"), "left over"},
        {refusal("}Nb"), "attributes"},
        {refusal("]}b"), "only a dict"},
        {refusal(list_in_itself), "holds itself"},
        {refusal(std::string(200, '(') + "N" + std::string(200, 't')), "too deeply"},
        {refusal("X\xff\xff\xff\xff"
                 "abc"),
         "too early"},
        {refusal("cos"), "name without end"},
        {refusal("\x93"), "instruction"},
        {refusal("\x81"), "instruction"},
        {message_of([] { read_pickle(""); }), "too early"},
        {message_of([] { read_pickle("\x80\x04N."); }), "protocol 2"},
        {message_of([] { read_pickle("\x80\x02N"); }), "too early"}};
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_NE(cases[i].first.find(cases[i].second), std::string::npos)
            << "case " << i << ": \"" << cases[i].first << "\" lacks " << cases[i].second;
    }
}

TEST(Pickle, SharedValuesDoNotGrow) {
    // Thirty lists, each holding the one before twice: a billion values for a reader that copies.
    std::string body = "]q";
    body += '\0';
    for (char i = 0; i < 30; ++i) {
        body += std::string("](h") + i + "h" + i + "eq" + static_cast<char>(i + 1);
    }
    body += "\x86";  // with the one below
    std::string cleared = body;
    cleared.pop_back();
    EXPECT_LT(read_pickle(std::string("\x80\x02(") + cleared + "t.").nodes.size(), 100U);
}

// ---- archive

std::vector<std::byte> archive_of(const std::function<void(TorchArchiveWriter&)>& fill) {
    const TemporaryFolder folder;
    TorchArchiveWriter writer;
    fill(writer);
    write_file_atomically(folder / "a.pt", [&](OutputFile& file) { writer.write(file); });
    return bytes_of(read_file(folder / "a.pt"));
}

TEST(TorchArchive, RoundTripAlignedAndChecked) {
    const std::vector<TensorRecord> tensors{numbers("a", {3, 4}, 1), int64_scalar("n", -5),
                                            numbers("e", {0, 2}, 0), numbers("b", {1000, 70}, 0)};
    std::vector<std::byte> bytes = archive_of([&](TorchArchiveWriter& writer) {
        writer.values().begin_dict();
        for (const TensorRecord& tensor : tensors) {
            writer.values().text(tensor.name);
            writer.tensor(view_of(tensor));
        }
        writer.values().end_dict();
    });
    for (const ZipEntry& entry : read_zip(bytes)) {
        EXPECT_EQ((entry.bytes.data() - bytes.data()) % 64, 0) << entry.name;
        check(entry);
    }
    const TorchArchive archive(bytes);
    EXPECT_EQ(archive.tensors(archive.values().root), tensors);
    // One byte of b's data.
    bytes[bytes.size() - 1000] ^= std::byte{1};
    const auto found = [&] {
        const TorchArchive damaged(bytes);
        return damaged.tensors(damaged.values().root);
    };
    EXPECT_NE(message_of(found), "");
}

TEST(TorchArchive, EveryFlippedByteOfASmallFileIsSafe) {
    const TensorRecord tensor = numbers("a", {2, 2}, 1);
    const std::vector<std::byte> bytes = archive_of([&](TorchArchiveWriter& writer) {
        writer.values().begin_dict();
        writer.values().text("a");
        writer.tensor(view_of(tensor));
        writer.values().end_dict();
    });
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::vector<std::byte> damaged = bytes;
        damaged[at] ^= std::byte{0x55};
        message_of([&] {
            const TorchArchive archive(damaged);
            for (const TensorRecord& read : archive.tensors(archive.values().root)) {
                // The ZIP format leaves dates and such unchecked; what holds the tensor is not.
                EXPECT_EQ(read.bytes, tensor.bytes) << "byte " << at;
            }
        });
        message_of([&] {
            const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(at);
            const TorchArchive archive(std::vector<std::byte>(bytes.begin(), bytes.begin() + size));
            // Only the length of a comment, which there is none, may be missing at the end.
            EXPECT_GE(at + 3, bytes.size());
            EXPECT_EQ(archive.tensors(archive.values().root)[0], tensor);
        });
    }
}

TEST(TorchArchive, StridesAndBoundsAreRespected) {
    // x[[2,3] with strides (1,2)] of storage 0..5 is the transposed view that torch saves without copying.
    const auto with = [](const std::string& offset, const std::string& shape, const std::string& stride) {
        const TemporaryFolder folder;
        write_file_atomically(folder / "a.pt", [&](OutputFile& file) {
            ZipWriter zip(file);
            const std::string tensor =
                std::string("\x80\x02") +
                "ctorch._utils\n_rebuild_tensor_v2\n((U\x07storagectorch\nFloatStorage\n"
                "U\x01"
                "0U\x03"
                "cpuK\x06tQ" +
                offset + shape + stride +
                "\x89"
                "ccollections\nOrderedDict\n)RtR.";
            zip.add("x/data.pkl", tensor);
            zip.add("x/data/0", numbers("s", {6}, 0).bytes);
            zip.finish();
        });
        const TorchArchive archive = TorchArchive::read(folder / "a.pt");
        return archive.tensor(archive.values().root, "t");
    };
    const auto values = [&](const std::string& offset, const std::string& shape, const std::string& stride) {
        return float_values(with(offset, shape, stride));
    };
    const std::string zero("K\0", 2);
    const std::string one("K\x01", 2);
    EXPECT_EQ(values(zero, "K\x02K\x03\x86", "K\x01K\x02\x86"), (std::vector<float>{0, 2, 4, 1, 3, 5}));
    EXPECT_EQ(values(one, "K\x02K\x02\x86", "K\x03K\x01\x86"), (std::vector<float>{1, 2, 4, 5}));
    EXPECT_EQ(values(one, "K\x01K\x02\x86", "J\xff\xff\xff\x7fK\x01\x86"), (std::vector<float>{1, 2}));
    EXPECT_EQ(values(one, ")", ")"), (std::vector<float>{1}));
    EXPECT_EQ(values(zero, "K\x03\x85", zero + "\x85"), (std::vector<float>{0, 0, 0}));
    for (const auto& [offset, shape, stride] : std::vector<std::array<std::string, 3>>{
             {one, "K\x06\x85", "K\x01\x85"},
             {"K\x07", ")", ")"},
             {"J\xff\xff\xff\xff", ")", ")"},
             {zero, "K\x02\x85", "K\x06\x85"},
             {zero, "K\x02\x85", "J\xff\xff\xff\xff\x85"},
             {zero, "K\x02\x85", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85"},
             {zero, "J\xff\xff\xff\xff\x85", "K\x01\x85"},
             {zero, "J\xff\xff\xff\x7f\x85", zero + "\x85"}}) {
        EXPECT_NE(message_of([&] { with(offset, shape, stride); }), "");
    }
}

TEST(TorchArchive, OtherFilesAreNamed) {
    const auto said = [](const std::string& bytes) {
        return message_of([&] { TorchArchive archive(bytes_of(bytes)); });
    };
    EXPECT_NE(said("").find("not a file of torch.save"), std::string::npos);
    EXPECT_NE(said("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.").find("before PyTorch 1.6"),
              std::string::npos);
    EXPECT_NE(said("PK\x03\x04 and no more").find("cut off"), std::string::npos);
    const TemporaryFolder folder;
    const auto zip_with = [&](const std::string& name) {
        fs::remove(folder / "z.zip");
        write_file_atomically(folder / "z.zip", [&](OutputFile& file) {
            ZipWriter zip(file);
            zip.add(name, "\x80\x02N.");
            zip.finish();
        });
        return said(read_file(folder / "z.zip"));
    };
    EXPECT_NE(zip_with("a/b.txt").find("no data.pkl"), std::string::npos);
    EXPECT_NE(zip_with("a/constants.pkl").find("TorchScript"), std::string::npos);
    EXPECT_EQ(zip_with("a/data.pkl"), "");
}

// ---- checkpoints, against the real PyTorch

/// A Python that has torch; empty: none here.
const std::string& python_with_torch() {
    static const std::string python = [] {
        for (const char* candidate : {"${RANKSCOPE_TORCH_PYTHON:-false}", "/usr/bin/python3", "python3"}) {
            if (std::system((std::string(candidate) + " -c 'import torch' >/dev/null 2>&1").c_str()) == 0) {
                return std::string(candidate);
            }
        }
        return std::string();
    }();
    return python;
}

/// Runs a script with the folder as its argument; what it printed.
std::string run_python(const fs::path& folder, const std::string& script) {
    write_file(
        folder / "script.py",
        "import sys, torch\nfrom collections import OrderedDict\nfolder = sys.argv[1] + '/'\n" + script);
    const std::string command = python_with_torch() + " -W ignore " + (folder / "script.py").string() + " " +
                                folder.string() + " > " + (folder / "out").string() + " 2>&1";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read_file(folder / "out");
    return read_file(folder / "out");
}

const std::string kNet = R"(
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 4, 3)
        self.bn1 = torch.nn.BatchNorm2d(4)
        self.fc = torch.nn.Linear(4, 2)
    def forward(self, x):
        return self.fc(self.bn1(self.conv1(x)).mean((2, 3)))
def train(net, optimizer, steps=3):
    for _ in range(steps):
        optimizer.zero_grad()
        net(torch.randn(5, 3, 6, 6)).square().sum().backward()
        optimizer.step()
torch.manual_seed(1)
net = Net()
)";
const std::vector<std::string> kParameters{"conv1.weight", "conv1.bias", "bn1.weight",
                                           "bn1.bias",     "fc.weight",  "fc.bias"};

double sum_of(const TensorRecord& tensor) {
    const std::vector<float> values = widened_values(tensor);
    return std::accumulate(values.begin(), values.end(), 0.0);
}

class WithTorch : public ::testing::Test {
protected:
    void SetUp() override {
        if (python_with_torch().empty()) {
            GTEST_SKIP() << "no Python with torch here (python3-torch; or RANKSCOPE_TORCH_PYTHON)";
        }
    }
    TemporaryFolder folder_;
};

TEST_F(WithTorch, ReadsWhatDistribuuuuWrites) {
    const std::string out = run_python(folder_.path(), kNet + R"(
o = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
train(net, o)
# DDP's prefix, a tensor of another memory order, and an accuracy that is a tensor
state = OrderedDict(('module.' + k, v) for k, v in net.state_dict().items())
state['module.conv1.weight'] = state['module.conv1.weight'].to(memory_format=torch.channels_last)
torch.save({'epoch': 7, 'arch': 'resnet18', 'state_dict': state, 'optimizer': o.state_dict(),
            'best_acc1': torch.tensor([61.5])}, folder + 'ckpt_ep_008.pth.tar')
torch.save(net.state_dict(), folder + 'best.pth.tar')
for k, v in net.state_dict().items(): print(k, '%.9g' % v.double().sum().item())
for i in range(6): print(i, '%.9g' % o.state[o.param_groups[0]['params'][i]]['momentum_buffer'].double().sum().item())
)");
    const TorchCheckpoint checkpoint =
        read_torch_checkpoint(newest_torch_checkpoint(folder_.path()), kParameters);
    EXPECT_EQ(checkpoint.epoch, 7);
    EXPECT_EQ(checkpoint.best_acc1, 61.5);
    EXPECT_TRUE(checkpoint.has_optimizer);
    EXPECT_FALSE(checkpoint.step.has_value());
    ASSERT_EQ(checkpoint.model.size(), 9U);
    ASSERT_EQ(checkpoint.optimizer.size(), 6U);
    std::istringstream lines(out);
    std::string name;
    double sum = 0;
    for (std::size_t i = 0; lines >> name >> sum; ++i) {
        if (name == "bn1.num_batches_tracked") {
            EXPECT_EQ(int64_value(*find_tensor(checkpoint.model, name)), 3);
            continue;
        }
        const TensorRecord* tensor =
            i < 9 ? find_tensor(checkpoint.model, name)
                  : find_tensor(checkpoint.optimizer,
                                optimizer_tensor_name(kParameters.at(std::stoul(name)), "momentum_buffer"));
        ASSERT_NE(tensor, nullptr) << name;
        EXPECT_NEAR(sum_of(*tensor), sum, 1e-6 * std::max(1.0, std::abs(sum))) << name;
    }
    // Row-major whatever the memory order was: equal to the plain state dict's.
    EXPECT_EQ(*find_tensor(checkpoint.model, "conv1.weight"),
              *find_tensor(read_state_dict(folder_ / "best.pth.tar"), "conv1.weight"));
}

TEST_F(WithTorch, PyTorchResumesFromWhatWeWrite) {
    Snapshot snapshot;
    snapshot.model = {numbers("conv1.weight", {4, 3, 3, 3}, 0.5F),
                      numbers("conv1.bias", {4}, 1),
                      numbers("bn1.weight", {4}, 2),
                      numbers("bn1.bias", {4}, 3),
                      numbers("fc.weight", {2, 4}, 4),
                      numbers("fc.bias", {2}, 5),
                      numbers("bn1.running_mean", {4}, 6),
                      numbers("bn1.running_var", {4}, 7),
                      int64_scalar("bn1.num_batches_tracked", std::int64_t{1} << 40U)};
    const auto add_state = [&](const std::string& state, float first) {
        for (std::size_t i = 0; i < kParameters.size(); ++i) {
            snapshot.optimizer.push_back(numbers(optimizer_tensor_name(kParameters[i], state),
                                                 snapshot.model[i].shape, first + static_cast<float>(i)));
        }
    };
    add_state("momentum_buffer", 10);
    OptimizerStep sgd{.lr = 0.125, .weight_decay = 0.5, .momentum = 0.75, .nesterov = true};
    const fs::path sgd_file = torch_checkpoint_path(folder_.path(), 1000);
    EXPECT_EQ(sgd_file.filename(), "ckpt_ep_1000.pth.tar");
    const std::uint64_t size = write_torch_checkpoint(sgd_file, snapshot, {999, 12.25, sgd, kParameters});
    EXPECT_EQ(size, fs::file_size(sgd_file));
    write_torch_checkpoint(torch_checkpoint_path(folder_.path(), 999), snapshot,
                           {998, 12.25, sgd, kParameters});
    EXPECT_EQ(newest_torch_checkpoint(folder_.path()), sgd_file);
    write_torch_state_dict(folder_ / "best.pth.tar", snapshot.model);
    snapshot.optimizer.clear();
    add_state("exp_avg", 20);
    add_state("exp_avg_sq", 30);
    write_torch_checkpoint(
        folder_ / "adam.pth", snapshot,
        {3, 0, {.kind = OptimizerKind::adamw, .lr = 0.5, .beta1 = 0.25, .step = 17}, kParameters});
    EXPECT_EQ(run_python(folder_.path(), kNet + R"(
def load(name):
    # 1.13 has weights_only, but reads no floating-point numbers with it
    safe = {'weights_only': True} if int(torch.__version__.split('.')[0]) >= 2 else {}
    return torch.load(folder + name, map_location='cpu', **safe)
c = load('ckpt_ep_1000.pth.tar')
assert c['epoch'] == 999 and c['best_acc1'] == 12.25, c
net.load_state_dict(c['state_dict'])
for name, first in [('conv1.weight', .5), ('fc.bias', 5), ('bn1.running_var', 7)]:
    v = net.state_dict()[name]
    assert torch.equal(v.flatten(), torch.arange(v.numel()) + first), name
assert net.bn1.num_batches_tracked.item() == 2 ** 40 and net.bn1.num_batches_tracked.dtype == torch.int64
o = torch.optim.SGD(net.parameters(), 1, momentum=0.9)
o.load_state_dict(c['optimizer'])
g = o.param_groups[0]
assert (g['lr'], g['momentum'], g['weight_decay'], g['nesterov']) == (.125, .75, .5, True), g
for i, p in enumerate(net.parameters()):
    v = o.state[p]['momentum_buffer']
    assert v.shape == p.shape and torch.equal(v.flatten(), torch.arange(v.numel()) + 10. + i)
train(net, o)
net.load_state_dict(load('best.pth.tar'))
c = load('adam.pth')
o = torch.optim.AdamW(net.parameters(), 1)
o.load_state_dict(c['optimizer'])
assert o.param_groups[0]['betas'] == (.25, .999), o.param_groups
p = net.fc.bias
assert float(o.state[p]['step']) == 17 and torch.equal(o.state[p]['exp_avg_sq'], torch.tensor([35., 36.]))
train(net, o)
torch.save({'state_dict': net.state_dict(), 'epoch': 3, 'optimizer': o.state_dict()}, folder + 'again.pth')
print('fine')
)"),
              "fine\n");
    const TorchCheckpoint again = read_torch_checkpoint(folder_ / "again.pth", kParameters);
    EXPECT_EQ(again.step, 20);
    EXPECT_EQ(again.optimizer.size(), 12U);
}

TEST_F(WithTorch, EveryTypeGoesBothWays) {
    run_python(folder_.path(), R"(
types = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
         torch.int8, torch.uint8, torch.bool]
torch.save({str(t): torch.arange(6).reshape(2, 3).to(t) for t in types}, folder + 'in.pt')
shared = torch.arange(4.)
torch.save({'a': shared[:2], 'b': shared[1:], 'c': torch.nn.Parameter(shared), 'd': shared.expand(3, 4)}, folder + 'shared.pt')
)");
    const std::vector<TensorRecord> tensors = read_state_dict(folder_ / "in.pt");
    ASSERT_EQ(tensors.size(), 10U);
    for (const std::size_t i : {0U, 1U, 2U, 3U}) {
        EXPECT_EQ(widened_values(tensors[i]), (std::vector<float>{0, 1, 2, 3, 4, 5})) << tensors[i].name;
    }
    write_state_dict(folder_ / "out.pt", tensors);
    write_state_dict(folder_ / "out.safetensors", tensors);
    write_state_dict(folder_ / "back.pth", read_state_dict(folder_ / "out.safetensors"));
    const auto shared = read_state_dict(folder_ / "shared.pt");
    EXPECT_EQ(float_values(*find_tensor(shared, "b")), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(float_values(*find_tensor(shared, "c")), (std::vector<float>{0, 1, 2, 3}));
    EXPECT_EQ(find_tensor(shared, "d")->shape, (Shape{3, 4}));
    EXPECT_EQ(run_python(folder_.path(), R"(
a = torch.load(folder + 'in.pt')
for name in ['out.pt', 'back.pth']:
    b = torch.load(folder + name)
    assert set(a) == set(b), b.keys()
    for k in a: assert a[k].dtype == b[k].dtype and torch.equal(a[k], b[k]), k
try:
    from safetensors.torch import load_file
    b = load_file(folder + 'out.safetensors')
    for k in a: assert a[k].dtype == b[k].dtype and torch.equal(a[k], b[k]), k
except ImportError: pass
print('fine')
)"),
              "fine\n");
}

TEST_F(WithTorch, ForeignObjectsAreRefusedByName) {
    run_python(folder_.path(), R"(
import argparse
torch.save({'args': argparse.Namespace(a=1), 'state_dict': {'w': torch.ones(1)}}, folder + 'args.pth')
torch.save(torch.nn.Linear(2, 2), folder + 'module.pth')
torch.save({'w': torch.ones(1)}, folder + 'legacy.pth', _use_new_zipfile_serialization=False)
torch.jit.script(torch.nn.Linear(2, 2)).save(folder + 'script.pt')
torch.save({'n': 1}, folder + 'none.pth')
)");
    const auto said = [&](const char* name) { return message_of([&] { read_state_dict(folder_ / name); }); };
    EXPECT_NE(said("args.pth").find("argparse.Namespace"), std::string::npos) << said("args.pth");
    EXPECT_NE(said("module.pth").find("torch.nn.modules.linear.Linear"), std::string::npos);
    EXPECT_NE(said("legacy.pth").find("before PyTorch 1.6"), std::string::npos);
    EXPECT_NE(said("script.pt").find("TorchScript"), std::string::npos) << said("script.pt");
    EXPECT_NE(said("none.pth").find("not a state dict"), std::string::npos);
    EXPECT_NE(said("nothing.pth").find("is missing"), std::string::npos);
}

TEST(StateDictFile, NamesDecideTheFormatAndPrefixesGo) {
    const TemporaryFolder folder;
    const std::vector<TensorRecord> tensors{numbers("module.a", {2}, 1), numbers("_orig_mod.b", {1}, 2)};
    for (const char* name : {"x.safetensors", "x.pt", "x.pth", "x.pth.tar", "x.bin"}) {
        write_state_dict(folder / name, tensors);
        const auto read = read_state_dict(folder / name);
        ASSERT_EQ(read.size(), 2U);
        EXPECT_EQ(read[0].name, "a");
        EXPECT_EQ(read[0].bytes, tensors[0].bytes);
        EXPECT_EQ(read[1].name, "b");
    }
    EXPECT_NE(message_of([&] { write_state_dict(folder / "x.h5", tensors); }).find(".safetensors"),
              std::string::npos);
    write_state_dict(folder / "two.pt", std::vector{numbers("module.a", {2}, 1), numbers("a", {2}, 1)});
    EXPECT_NE(message_of([&] { read_state_dict(folder / "two.pt"); }).find("two tensors for a"),
              std::string::npos);
}

TEST(Widening, HalvesAndBrainFloats) {
    const auto widen = [](StoredType dtype, std::uint16_t bits) {
        TensorRecord record;
        reuse(record, "x", dtype, {1});
        std::memcpy(record.bytes.data(), &bits, 2);
        return widened_values(record)[0];
    };
    EXPECT_EQ(widen(StoredType::f16, 0x3C00), 1.0F);
    EXPECT_EQ(widen(StoredType::f16, 0xC500), -5.0F);
    EXPECT_EQ(widen(StoredType::f16, 0x7BFF), 65504.0F);
    EXPECT_EQ(widen(StoredType::f16, 0x0001), 0x1p-24F);
    EXPECT_EQ(widen(StoredType::f16, 0x83FF), -0x1.ff8p-15F);
    EXPECT_EQ(widen(StoredType::f16, 0x7C00), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(widen(StoredType::f16, 0x7E00)));
    EXPECT_EQ(widen(StoredType::bf16, 0xBFC0), -1.5F);
    EXPECT_NE(message_of([&] { widened_values(int64_scalar("n", 1)); }), "");
}

}  // namespace
}  // namespace rankscope::engine::test
