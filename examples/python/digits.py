# Trains a classifier on the UCI handwritten digits that scikit-learn ships, from the data to a
# saved model: progress bar, accuracy and throughput, safetensors written and read back, a picture.
# examples/cpp/digits.cpp loads what this writes and has to predict the same labels.
"""Train a multi-layer perceptron on real handwritten digits.

    python examples/python/digits.py --epochs 60 --output out

Writes to the output folder: ``digits.safetensors`` (the weights), ``digits_test.safetensors`` (the
test images with true and predicted labels), ``digits.png`` (the loss, and sample predictions).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import matplotlib
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from mlx.utils import tree_flatten
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

matplotlib.use("Agg")  # draws without a screen
from matplotlib import pyplot as plt  # noqa: E402

SIDE = 8  # the images have 8 x 8 pixels
CLASSES = 10


class DigitClassifier(nn.Module):
    """A multi-layer perceptron: ``(N, 64)`` pixels to ``(N, 10)`` logits."""

    def __init__(self, hidden: tuple[int, ...] = (256, 128), dropout: float = 0.2):
        super().__init__()
        sizes = [SIDE * SIDE, *hidden, CLASSES]
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]
        self.dropout = nn.Dropout(dropout)

    def __call__(self, x: mx.array) -> mx.array:
        *hidden, last = self.layers
        for layer in hidden:
            x = self.dropout(nn.relu(layer(x)))
        return last(x)


def load_data(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Train images, test images, train labels, test labels; pixels in [-1, 1]."""
    digits = load_digits()
    pixels = (digits.data / 8.0 - 1.0).astype(np.float32)  # they are 0 to 16
    labels = digits.target.astype(np.int32)
    return train_test_split(pixels, labels, test_size=0.2, stratify=labels, random_state=seed)


def shifted(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Moves every image by at most one pixel in each direction; what comes in is background."""
    images = pixels.reshape(-1, SIDE, SIDE)
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)), constant_values=-1.0)
    result = np.empty_like(images)
    offsets = rng.choice(3, size=(len(images), 2), p=[0.15, 0.7, 0.15])
    for dy in range(3):
        for dx in range(3):
            chosen = (offsets == (dy, dx)).all(axis=1)
            result[chosen] = padded[chosen, dy : dy + SIDE, dx : dx + SIDE]
    return result.reshape(len(images), -1)


def loss_fn(model: DigitClassifier, x: mx.array, y: mx.array) -> mx.array:
    return nn.losses.cross_entropy(model(x), y, label_smoothing=0.05, reduction="mean")


def train(
    model: DigitClassifier, pixels: np.ndarray, labels: np.ndarray, options: argparse.Namespace
) -> tuple[list[float], float]:
    """Trains in place; returns the mean loss of every epoch and the samples per second."""
    rng = np.random.default_rng(options.seed)
    batches = len(pixels) // options.batch_size
    steps = options.epochs * batches
    warm_up = max(1, steps // 20)
    rate = options.learning_rate
    schedule = optim.join_schedules(
        [optim.linear_schedule(rate / 10, rate, warm_up), optim.cosine_decay(rate, steps)],
        [warm_up],
    )
    optimizer = optim.AdamW(schedule, weight_decay=0.02, bias_correction=True)
    loss_and_grad = nn.value_and_grad(model, loss_fn)

    model.train()
    history, seconds = [], 0.0
    progress = tqdm(range(options.epochs), desc="training", unit="epoch")
    for _ in progress:
        order = rng.permutation(len(pixels))[: batches * options.batch_size]
        x, y = mx.array(shifted(pixels[order], rng)), mx.array(labels[order])

        start = time.perf_counter()
        total = 0.0
        for i in range(batches):
            batch = slice(i * options.batch_size, (i + 1) * options.batch_size)
            loss, gradients = loss_and_grad(model, x[batch], y[batch])
            optimizer.update(model, gradients)
            # Arrays are lazy: this is where the step is computed.
            mx.eval(loss, model.parameters(), optimizer.state)
            total += loss.item()
        seconds += time.perf_counter() - start
        history.append(total / batches)
        progress.set_postfix(loss=f"{history[-1]:.4f}")
    return history, steps * options.batch_size / seconds


def predict(model: DigitClassifier, pixels: np.ndarray) -> np.ndarray:
    """The most likely class of every image."""
    model.eval()
    return np.array(mx.argmax(model(mx.array(pixels)), axis=1)).astype(np.int32)


def save_and_reload(
    model: DigitClassifier, pixels: np.ndarray, truth: np.ndarray, predicted: np.ndarray, out: Path
) -> None:
    """Writes weights and test set, and checks that a fresh model reads the same from them."""
    weights = out / "digits.safetensors"
    model.save_weights(str(weights))
    fresh = DigitClassifier()
    fresh.load_weights(str(weights))
    for (path, a), (_, b) in zip(
        tree_flatten(model.parameters()), tree_flatten(fresh.parameters())
    ):
        if a.dtype != b.dtype or not mx.array_equal(a, b):
            raise RuntimeError(f"{path} changed between saving and loading")
    if not np.array_equal(predict(fresh, pixels), predicted):
        raise RuntimeError("the reloaded model predicts other labels")

    mx.save_safetensors(
        str(out / "digits_test.safetensors"),
        {
            "images": mx.array(pixels),
            "labels": mx.array(truth),
            "predicted": mx.array(predicted),
        },
    )
    print(f"reloaded {weights}: all arrays and all {len(pixels)} predictions are equal")


def draw(
    history: list[float],
    pixels: np.ndarray,
    truth: np.ndarray,
    predicted: np.ndarray,
    accuracy: float,
    file: Path,
) -> None:
    """The loss curve beside a grid of predictions, mistakes first and in red."""
    rows, columns = 5, 8
    order = np.argsort(predicted == truth, kind="stable")[: rows * columns]
    figure = plt.figure(figsize=(12, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.4])

    axes = left.subplots()
    axes.plot(np.arange(1, len(history) + 1), history)
    axes.set(xlabel="epoch", ylabel="training loss (cross entropy)", yscale="log")
    axes.grid(alpha=0.3, which="both")

    correct = int((predicted == truth).sum())
    right.suptitle(f"test accuracy {accuracy:.2%}: {correct} of {len(truth)}, mistakes first")
    for axes, i in zip(right.subplots(rows, columns).flat, order):
        axes.imshow(pixels[i].reshape(SIDE, SIDE), cmap="gray_r")
        mistaken = predicted[i] != truth[i]
        title = f"{predicted[i]} (is {truth[i]})" if mistaken else f"{predicted[i]}"
        axes.set_title(title, color="red" if mistaken else "black", fontsize=9)
        axes.set_axis_off()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("out"), help="folder, made if missing")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)

    mx.random.seed(options.seed)
    train_pixels, test_pixels, train_labels, test_labels = load_data(options.seed)
    model = DigitClassifier()
    size = sum(p.size for _, p in tree_flatten(model.parameters()))
    print(f"{model}\n{size} parameters, {len(train_labels)} images for training")

    history, throughput = train(model, train_pixels, train_labels, options)
    predicted = predict(model, test_pixels)
    accuracy = float((predicted == test_labels).mean())
    print(f"test accuracy {accuracy:.2%} on {len(test_labels)} images")
    print(f"throughput {throughput:,.0f} samples/s while training")

    save_and_reload(model, test_pixels, test_labels, predicted, options.output)
    picture = options.output / "digits.png"
    draw(history, test_pixels, test_labels, predicted, accuracy, picture)
    print(f"drew {picture}")


if __name__ == "__main__":
    main()
