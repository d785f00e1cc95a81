#pragma once

// The seam between training and what does its arithmetic: all that autodiff, models and training ask of dense
// matrices is declared in these headers, as free functions on views, and docs/backend.md lists it. Matrices
// are handed out by DenseMatrix and Workspace. Outside this folder their elements are looked at only through
// tensor/transfer.hpp: a backend may keep them elsewhere.

#include "tensor/attention.hpp"
#include "tensor/dropout.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/finite.hpp"
#include "tensor/layer_normalization.hpp"
#include "tensor/losses.hpp"
#include "tensor/normalization.hpp"
#include "tensor/pair_losses.hpp"
#include "tensor/products.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"
