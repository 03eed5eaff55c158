// All operations on arrays; each family has its own header.
#pragma once

#include <optional>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/device.h"
#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/index/index.h"
#include "mlx/ops/matmul/matmul.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/stream.h"
#include "mlx/utils.h"
