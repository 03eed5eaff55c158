// The primitive interface and all primitives; each family has its own header.
#pragma once

#include <unordered_set>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/core/primitive.h"
#include "mlx/device.h"
#include "mlx/ops/create/primitives.h"
#include "mlx/ops/elementwise/primitives.h"
#include "mlx/ops/index/primitives.h"
#include "mlx/ops/matmul/primitives.h"
#include "mlx/ops/random/primitives.h"
#include "mlx/ops/reduce/primitives.h"
#include "mlx/ops/shape/primitives.h"
#include "mlx/stream.h"
