# SPDX-License-Identifier: Apache-2.0
"""The works as PyTorch networks with random weights, batch normalizations folded, as the core runs them."""
import torch
from torch import nn
from torch.nn import functional


def conv(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, groups=groups)


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride, project):
        super().__init__()
        self.narrow, self.spatial = conv(inputs, width, 1), conv(width, width, 3, stride)
        self.wide = conv(width, 4 * width, 1)
        self.past = conv(inputs, 4 * width, 1, stride) if project else nn.Identity()

    def forward(self, x):
        y = self.wide(functional.relu(self.spatial(functional.relu(self.narrow(x)))))
        return functional.relu(y + self.past(x))


def resnet50():
    layers, inputs = [conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, width, stride if block == 0 else 1, block == 0))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000), nn.Softmax(1))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, expansion, stride):
        super().__init__()
        wide = inputs * expansion
        expand = [conv(inputs, wide, 1), nn.ReLU6()] if expansion != 1 else []
        self.body = nn.Sequential(*expand, conv(wide, wide, 3, stride, wide), nn.ReLU6(), conv(wide, outputs, 1))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return self.body(x) + x if self.adds else self.body(x)


def mobilenetv2():
    layers, inputs = [conv(3, 32, 3, 2), nn.ReLU6()], 32
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
    for expansion, outputs, blocks, stride in stages:
        for block in range(blocks):
            layers.append(InvertedResidual(inputs, outputs, expansion, stride if block == 0 else 1))
            inputs = outputs
    layers += [conv(inputs, 1280, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(1280, 1000), nn.Softmax(1))


def bert_base_128():
    layer = nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu", batch_first=True)
    return nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)


def cnn():
    """That of `systole train`."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(5 * 5 * 64, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )


INPUTS = {"resnet50": (1, 3, 224, 224), "mobilenetv2": (1, 3, 224, 224), "bert_base_128": (1, 128, 768)}
NETWORKS = {"resnet50": resnet50, "mobilenetv2": mobilenetv2, "bert_base_128": bert_base_128, "cnn": cnn}


def example(work):
    """The network of an inference, and an input."""
    torch.manual_seed(0)
    return NETWORKS[work]().eval(), torch.randn(INPUTS.get(work, (1, 1, 28, 28)))


def macs(network, x):
    """Useful multiply-accumulates, counted as the layers run; products of an attention are of two computed tensors."""
    total, hooks = 0, []

    def count(module, inputs, output):
        nonlocal total
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            total += output.numel() * module.weight[0].numel()
        else:
            tokens, width = inputs[0].shape[-2:]
            total += 4 * tokens * width * width + 2 * tokens * tokens * width

    for module in network.modules():
        if isinstance(module, (nn.Conv2d, nn.MultiheadAttention)):
            hooks.append(module.register_forward_hook(count))
        elif isinstance(module, nn.Linear) and type(module) is nn.Linear:
            hooks.append(module.register_forward_hook(count))
    network(x)
    for hook in hooks:
        hook.remove()
    return total
