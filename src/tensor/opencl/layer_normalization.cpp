#include "tensor/layer_normalization.hpp"

#include "tensor/opencl/arguments.hpp"

namespace hwgcn::opencl {
namespace {

constexpr std::size_t layer_group = 64;  // LAYER_GROUP of the kernels

void add_learned_gradients(Device& device, const LayerNormalization& layer, ConstMatrixView gradient,
                           const NormalizationGradients& out) {
    const Pieces pieces = row_pieces(gradient.rows);
    const std::size_t stride = gradient.stride();
    const Reals sums = device.real_scratch(2 * static_cast<std::size_t>(pieces.count) * stride);
    device.run("layer_gradient_pieces", over_rows(static_cast<std::size_t>(pieces.count), stride), layer.x,
               layer.kept, stride_of(layer.kept), gradient, static_cast<Index>(stride), gradient.rows,
               pieces.size, pieces.count, sums);
    add_normalization_gradients(device, sums, pieces, stride, out);
}

}  // namespace

void layer_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, MatrixView kept,
                     MatrixView out, const ExecutionControl&) {
    if (x.rows == 0) return;
    device_at(out).run("layer_normalize", groups_of(layer_group, static_cast<std::size_t>(x.rows)), x, scale,
                       offset, kept, stride_of(kept), out, stride_of(x), x.columns);
}

void layer_normalize_gradients(const LayerNormalization& layer, ConstMatrixView gradient,
                               const NormalizationGradients& out, const ExecutionControl&) {
    Device& device = device_at(gradient);
    if (out.x.rows > 0) {
        device.run("layer_normalize_gradient",
                   groups_of(layer_group, static_cast<std::size_t>(gradient.rows)), layer.x, layer.scale,
                   layer.kept, stride_of(layer.kept), gradient, out.x, stride_of(gradient), gradient.columns,
                   is_added(out.write));
    }
    if (out.scale.rows > 0 || out.offset.rows > 0) add_learned_gradients(device, layer, gradient, out);
}

}  // namespace hwgcn::opencl
