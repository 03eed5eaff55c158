// Trees of lists, tuples and dicts with arrays and other objects at the leaves.
#pragma once

#include <functional>
#include <vector>

#include "python/bindings/convert.h"

namespace mlx::bindings {

/// Whether the object is a container of the tree (subclasses included).
bool is_container(nb::handle object);

/// Calls `leaf` for every leaf in order: sequences by position, dicts by
/// iteration. Raises ValueError for trees deeper than the interpreter allows.
void visit_leaves(nb::handle tree, const std::function<void(nb::handle)>& leaf);

/// The same tree around new leaves: list -> list, tuple -> tuple (named tuples
/// keep their class), dict and its subclasses -> plain dict.
nb::object map_leaves(nb::handle tree, const std::function<nb::object(nb::handle)>& leaf);

/// All arrays among the leaves.
std::vector<mx::array> collect_arrays(nb::handle tree);

/// Calls `leaf(leaf_of_prefix, leaf_of_tree)` where `prefix` has the containers
/// of the upper part of `tree`. `what` names the prefix in errors (ValueError).
void visit_with_prefix(nb::handle prefix, nb::handle tree, const char* what,
                       const std::function<void(nb::handle, nb::handle)>& leaf);

/// Puts other objects in place of the arrays of a tree while it lives, mutating
/// lists and dicts in place, and puts the originals back unless someone
/// overwrote the slot meanwhile.
class ReplacedLeaves {
 public:
  ReplacedLeaves() = default;
  ~ReplacedLeaves() { restore(); }
  ReplacedLeaves(const ReplacedLeaves&) = delete;
  ReplacedLeaves& operator=(const ReplacedLeaves&) = delete;

  /// Replaces the arrays of `tree`, in order, by the results of `replacement`;
  /// returns the tree to use, which is `tree` itself for lists and dicts.
  nb::object replace(nb::handle tree, const std::function<nb::object(nb::handle)>& replacement);
  void restore() noexcept;

 private:
  struct Slot {
    nb::object container;
    nb::object key;
    nb::object original;
    nb::object placed;
  };
  nb::object replace_at(nb::handle tree, const std::function<nb::object(nb::handle)>& replacement,
                        int depth);
  std::vector<Slot> slots_;
};

}  // namespace mlx::bindings
