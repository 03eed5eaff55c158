// Functions that work lane by lane in memory, for what has no vector code:
// integer division, float64 transcendental functions, complex functions.
#pragma once

#include "mlx/fuse/step.h"

namespace mlx::core::fuse {

/// Null when the operation is vector code or does not exist for the lane.
LaneCall find_lane_call(Op op, Lane lane);

}  // namespace mlx::core::fuse
