#pragma once

namespace dsnn {

/// Activation of the sheaf learner [eq:sheaf-maps].
enum class MapActivation { kIdentity, kTanh, kElu, kRelu };

/// The parametrisation of orthogonal (real) or unitary (complex) matrices:
/// [eq:orthogonal-householder], [eq:orthogonal-cayley], [eq:orthogonal-exponential],
/// [eq:orthogonal-euler].
enum class OrthogonalMethod { kHouseholder, kCayley, kMatrixExp, kEuler };

/// Activation of a layer's output [eq:stalk-update]. For complex numbers, ReLU keeps those with a
/// non-negative real part, and ELU acts on each part.
enum class StalkActivation { kIdentity, kRelu, kElu };

}  // namespace dsnn
