#pragma once

// The seam between training and what does its arithmetic: all that autodiff, models and training ask of dense
// matrices is declared in these headers, as free functions on views, and docs/backend.md lists it. Matrices
// are handed out by DenseMatrix and Workspace. Nobody outside this folder looks at their elements but through
// linalg/transfer.hpp, so that a backend may keep them elsewhere.

#include "linalg/attention.hpp"
#include "linalg/dropout.hpp"
#include "linalg/elementwise.hpp"
#include "linalg/finite.hpp"
#include "linalg/layer_normalization.hpp"
#include "linalg/losses.hpp"
#include "linalg/normalization.hpp"
#include "linalg/pair_losses.hpp"
#include "linalg/products.hpp"
#include "linalg/rows.hpp"
#include "linalg/transfer.hpp"
