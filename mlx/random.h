// Random numbers: keys, the sequence of keys of a thread, samplers.
#pragma once

#include "mlx/ops/random/random.h"
