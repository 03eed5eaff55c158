// The smallest program: the library says which version it is.
#include "mlx/version.h"

#include <cstdio>

int main() {
  std::printf("%s\n", mlx::core::version());
  return MLX_VERSION_NUMERIC == 32002 ? 0 : 1;
}
