// The orthogonal and unitary matrices of one thread: [eq:orthogonal-householder],
// [eq:orthogonal-cayley], [eq:orthogonal-exponential], [eq:orthogonal-euler]. The functions are
// those of cpu/orthogonal_*-inl.h, where they are derived. A is an array type with values N.
#pragma once

#include "kernels/cuda/numbers.h"

#include <type_traits>
#include <utility>

namespace dsnn::kernels::cuda {

template <class A>
using ValueOf = std::remove_reference_t<decltype(std::declval<A>()[0])>;

struct Householder {
  static constexpr int num_params(int d) { return d * (d - 1) / 2; }
  static constexpr int forward_scratch(int /*d*/) { return 0; }
  static constexpr int backward_scratch(int d) { return d * d; }
  /// Entry i > k of v_k; the parameters fill the strict lower triangle row by row.
  static DSNN_GPU_INLINE int entry(int i, int k) { return i * (i - 1) / 2 + k; }

  /// 2 / v_k* v_k
  template <class A, class T = typename ValueOf<A>::Scalar>
  static DSNN_GPU_INLINE T factor(int d, int k, A params) {
    T norm = 1;
    DSNN_UNROLL
    for (int i = k + 1; i < d; ++i) norm += dot(params[entry(i, k)], params[entry(i, k)]);
    return 2 / norm;
  }

  template <class A>
  static DSNN_GPU_INLINE void forward(int d, A params, A q, A /*scratch*/) {
    using N = ValueOf<A>;
    using T = typename N::Scalar;
    q[d * d - 1] = make<N>(1);
    DSNN_UNROLL
    for (int k = d - 2; k >= 0; --k) {
      const T tau = factor(d, k, params);
      DSNN_UNROLL
      for (int j = k + 1; j < d; ++j) {
        N w = conj(params[entry(k + 1, k)]) * q[(k + 1) * d + j];
        DSNN_UNROLL
        for (int i = k + 2; i < d; ++i) w = mul_add(conj(params[entry(i, k)]), q[i * d + j], w);
        w = scale(w, tau);
        q[k * d + j] = -w;
        DSNN_UNROLL
        for (int i = k + 1; i < d; ++i) {
          q[i * d + j] = neg_mul_add(params[entry(i, k)], w, q[i * d + j]);
        }
      }
      q[k * d + k] = make<N>(1 - tau);
      DSNN_UNROLL
      for (int i = k + 1; i < d; ++i) q[i * d + k] = scale(params[entry(i, k)], -tau);
    }
  }

  template <class A>
  static DSNN_GPU_INLINE void backward(int d, A params, A grad, A grad_params, A q) {
    using N = ValueOf<A>;
    using T = typename N::Scalar;
    forward(d, params, q, q);
    DSNN_UNROLL
    for (int k = 0; k < d - 1; ++k) {
      const T tau = factor(d, k, params);
      const A f = q + k * d, g = grad + k * d;
      DSNN_UNROLL
      for (int j = k; j < d; ++j) {
        DSNN_UNROLL
        for (int i = k + 1; i < d; ++i) {
          g[j] = mul_add(conj(params[entry(i, k)]), grad[i * d + j], g[j]);
        }
        g[j] = scale(g[j], tau);
      }
      T along = tau * g[k].re;
      DSNN_UNROLL
      for (int j = k + 1; j < d; ++j) along -= dot(f[j], g[j]);
      DSNN_UNROLL
      for (int i = k + 1; i < d; ++i) {
        const N v = params[entry(i, k)];
        N sum = add_scaled(scale(v, along), -tau, grad[i * d + k]);
        DSNN_UNROLL
        for (int j = k + 1; j < d; ++j) {
          const N r = q[i * d + j] = neg_mul_add(v, f[j], q[i * d + j]);
          sum = mul_add(grad[i * d + j], conj(f[j]), sum);
          sum = neg_mul_add(r, conj(g[j]), sum);
          grad[i * d + j] = neg_mul_add(v, g[j], grad[i * d + j]);
        }
        grad_params[entry(i, k)] = sum;
      }
    }
  }
};

/// Parameters of a skew-Hermitian matrix A = L - L*: its lower triangle L, row by row.
struct Skew {
  static constexpr int num_params(int d) { return d * (d + 1) / 2; }
  static DSNN_GPU_INLINE int triangle(int i) { return i * (i + 1) / 2; }

  /// set(i, j, A_ij)
  template <class A, class Set>
  static DSNN_GPU_INLINE void for_entries(int d, A params, const Set& set) {
    DSNN_UNROLL
    for (int i = 0; i < d; ++i) {
      DSNN_UNROLL
      for (int j = 0; j < i; ++j) {
        const auto a = params[triangle(i) + j];
        set(i, j, a);
        set(j, i, -conj(a));
      }
      const auto a = params[triangle(i) + i];
      set(i, i, a - conj(a));
    }
  }
  /// From W = grad A: grad L is the lower triangle of W - W*.
  template <class A, class Get>
  static DSNN_GPU_INLINE void backward(int d, const Get& w, A grad_params) {
    DSNN_UNROLL
    for (int i = 0; i < d; ++i) {
      DSNN_UNROLL
      for (int j = 0; j <= i; ++j) grad_params[triangle(i) + j] = w(i, j) - conj(w(j, i));
    }
  }
  /// out = a b, or out += a b. out is neither a nor b.
  template <bool kAdd, class A>
  static DSNN_GPU_INLINE void product(int d, A a, A b, A out) {
    DSNN_UNROLL
    for (int i = 0; i < d; ++i) {
      DSNN_UNROLL
      for (int j = 0; j < d; ++j) {
        auto sum = a[i * d] * b[j];
        if constexpr (kAdd) sum = sum + out[i * d + j];
        DSNN_UNROLL
        for (int k = 1; k < d; ++k) sum = mul_add(a[i * d + k], b[k * d + j], sum);
        out[i * d + j] = sum;
      }
    }
  }
  /// q <- q (3 I - q* q) / 2. scratch: 2 d^2.
  template <class A>
  static DSNN_GPU_INLINE void make_unitary(int d, A q, A scratch) {
    using T = typename ValueOf<A>::Scalar;
    const A correction = scratch, old = scratch + d * d;
    DSNN_UNROLL
    for (int i = 0; i < d; ++i) {
      DSNN_UNROLL
      for (int j = 0; j <= i; ++j) {
        auto sum = conj(q[i]) * q[j];
        DSNN_UNROLL
        for (int k = 1; k < d; ++k) sum = mul_add(conj(q[k * d + i]), q[k * d + j], sum);
        sum = scale(sum, T(-0.5));
        correction[i * d + j] = i == j ? add_real(sum, T(1.5)) : sum;
        correction[j * d + i] = conj(correction[i * d + j]);
      }
    }
    DSNN_UNROLL
    for (int i = 0; i < d * d; ++i) old[i] = q[i];
    product<false>(d, old, correction, q);
  }
};

struct Cayley : Skew {
  static constexpr int forward_scratch(int d) { return 2 * d * d; }
  static constexpr int backward_scratch(int d) { return 2 * d * d; }

  /// m = (I + A)^{-1} by Gauss-Jordan elimination; no pivoting is needed.
  template <class A>
  static DSNN_GPU_INLINE void invert(int d, A params, A m) {
    using N = ValueOf<A>;
    using T = typename N::Scalar;
    for_entries(d, params,
                [&](int i, int j, N a) { m[i * d + j] = i == j ? add_real(a, T{1}) : a; });
    DSNN_UNROLL
    for (int k = 0; k < d; ++k) {
      const N pivot = reciprocal(m[k * d + k]);
      m[k * d + k] = pivot;
      DSNN_UNROLL
      for (int j = 0; j < d; ++j) {
        if (j != k) m[k * d + j] = m[k * d + j] * pivot;
      }
      DSNN_UNROLL
      for (int i = 0; i < d; ++i) {
        if (i == k) continue;
        const N a = m[i * d + k];
        DSNN_UNROLL
        for (int j = 0; j < d; ++j) {
          if (j != k) m[i * d + j] = neg_mul_add(a, m[k * d + j], m[i * d + j]);
        }
        m[i * d + k] = -(a * pivot);
      }
    }
  }

  template <class A>
  static DSNN_GPU_INLINE void forward(int d, A params, A q, A scratch) {
    using T = typename ValueOf<A>::Scalar;
    invert(d, params, q);
    DSNN_UNROLL
    for (int i = 0; i < d * d; ++i) q[i] = scale(q[i], T{2});
    DSNN_UNROLL
    for (int i = 0; i < d; ++i) q[i * d + i] = add_real(q[i * d + i], T{-1});
    make_unitary(d, q, scratch);
  }

  template <class A>
  static DSNN_GPU_INLINE void backward(int d, A params, A grad, A grad_params, A scratch) {
    using N = ValueOf<A>;
    using T = typename N::Scalar;
    const A m = scratch, half = scratch + d * d;
    invert(d, params, m);
    DSNN_UNROLL
    for (int i = 0; i < d; ++i) {
      DSNN_UNROLL
      for (int j = 0; j <= i; ++j) {
        const N a = m[i * d + j];
        m[i * d + j] = conj(m[j * d + i]);
        m[j * d + i] = conj(a);
      }
    }
    product<false>(d, m, grad, half);
    product<false>(d, half, m, grad);
    Skew::backward(
        d, [&](int i, int j) { return scale(grad[i * d + j], T{-2}); }, grad_params);
  }
};

/// Values of duals in an array of twice as many plain ones.
template <class A>
struct DualArray {
  A data;
  int size;  // of the array of duals, whose tangents follow the values

  DSNN_GPU_INLINE Dual<ValueOf<A>> get(int i) const { return {data[i], data[size + i]}; }
  DSNN_GPU_INLINE void set(int i, const Dual<ValueOf<A>>& number) const {
    data[i] = number.value;
    data[size + i] = number.tangent;
  }
};
template <class A>
struct PlainArray {
  A data;
  DSNN_GPU_INLINE ValueOf<A> get(int i) const { return data[i]; }
  DSNN_GPU_INLINE void set(int i, const ValueOf<A>& number) const { data[i] = number; }
};

struct MatrixExp : Skew {
  static constexpr int forward_scratch(int d) { return 4 * d * d; }
  static constexpr int backward_scratch(int d) { return 10 * d * d; }
  /// Beyond this, all digits of the angles are noise anyway.
  static constexpr int kMaxSquarings = 64;

  /// out = a b, or out += a b, for arrays with get and set.
  template <bool kAdd, class M>
  static DSNN_GPU_INLINE void multiply(int d, M a, M b, M out) {
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) {
        auto sum = a.get(i * d) * b.get(j);
        if constexpr (kAdd) sum = sum + out.get(i * d + j);
        for (int k = 1; k < d; ++k) sum = a.get(i * d + k) * b.get(k * d + j) + sum;
        out.set(i * d + j, sum);
      }
    }
  }

  /// q = exp(a), a overwritten: scaling, Taylor polynomial, squaring.
  template <class T, class M>
  static DSNN_GPU_INLINE void exponential(int d, T norm, M a, M q, M square, M cube, M next) {
    T factor = 1;
    int squarings = 0;
    for (; squarings < kMaxSquarings && norm > T(0.5); ++squarings) {
      norm *= T(0.5);
      factor *= T(0.5);
    }
    for (int i = 0; i < d * d; ++i) a.set(i, scale(a.get(i), factor));
    // Horner's rule in a^3 (Paterson and Stockmeyer).
    const int degree = std::is_same_v<T, float> ? 8 : 14;
    T coefficients[15];  // 1 / i!
    coefficients[0] = 1;
    for (int i = 1; i < 15; ++i) coefficients[i] = coefficients[i - 1] / static_cast<T>(i);
    multiply<false>(d, a, a, square);
    multiply<false>(d, square, a, cube);
    const auto set_segment = [&](int first, M out) {
      for (int i = 0; i < d * d; ++i) {
        auto sum = scale(a.get(i), coefficients[first + 1]) +
                   scale(square.get(i), coefficients[first + 2]);
        if (i % (d + 1) == 0) sum = add_real(sum, coefficients[first]);
        out.set(i, sum);
      }
    };
    set_segment(degree - 2, q);
    for (int first = degree - 5; first >= 0; first -= 3) {
      set_segment(first, next);
      multiply<true>(d, q, cube, next);
      for (int i = 0; i < d * d; ++i) q.set(i, next.get(i));
    }
    for (int s = 0; s < squarings; ++s) {
      multiply<false>(d, q, q, next);
      for (int i = 0; i < d * d; ++i) q.set(i, next.get(i));
    }
  }

  template <class A, class T = typename ValueOf<A>::Scalar>
  static DSNN_GPU_INLINE T frobenius_norm(int d, A params) {
    T sum = 0;
    for_entries(d, params, [&](int, int, ValueOf<A> a) { sum += dot(a, a); });
    return root_of(sum);
  }

  template <class A>
  static DSNN_GPU_INLINE void forward(int d, A params, A q, A scratch) {
    using N = ValueOf<A>;
    const int size = d * d;
    for_entries(d, params, [&](int i, int j, N a) { scratch[i * d + j] = a; });
    const auto part = [&](int i) { return PlainArray<A>{scratch + i * size}; };
    exponential(d, frobenius_norm(d, params), part(0), PlainArray<A>{q}, part(1), part(2), part(3));
    make_unitary(d, q, scratch);
  }

  // The adjoint of the derivative at A is the derivative at A* = -A, which dual numbers carry
  // along.
  template <class A>
  static DSNN_GPU_INLINE void backward(int d, A params, A grad, A grad_params, A scratch) {
    using N = ValueOf<A>;
    const int size = d * d;
    const auto part = [&](int i) { return DualArray<A>{scratch + 2 * i * size, size}; };
    const DualArray<A> a = part(0), q = part(1);
    for_entries(d, params, [&](int i, int j, N entry) {
      a.set(i * d + j, {-entry, grad[i * d + j]});
    });
    exponential(d, frobenius_norm(d, params), a, q, part(2), part(3), part(4));
    Skew::backward(
        d, [&](int i, int j) { return q.get(i * d + j).tangent; }, grad_params);
  }
};

/// For d = 1, 2 and 3.
struct Euler {
  static constexpr int num_params(int d) { return d * (d - 1) / 2; }
  static constexpr int forward_scratch(int /*d*/) { return 0; }
  static constexpr int backward_scratch(int d) { return d * d; }
  /// The two axes of rotation k: (0, 1), (2, 0), (1, 2).
  static DSNN_GPU_INLINE int first_axis(int k) { return k == 0 ? 0 : k == 1 ? 2 : 1; }
  static DSNN_GPU_INLINE int second_axis(int k) { return k == 0 ? 1 : k == 1 ? 0 : 2; }

  /// [[cosine, -conj(phase) sine], [phase sine, cosine]]
  template <class N>
  struct Rotation {
    typename N::Scalar cosine, sine;
    N phase;
  };
  template <class N>
  static DSNN_GPU_INLINE Rotation<N> rotation(N param) {
    typename N::Scalar sine, cosine, phase_sine = 0, phase_cosine = 1;
    sin_cos(param.re, sine, cosine);
    if constexpr (N::kPlanes == 2) sin_cos(param.im, phase_sine, phase_cosine);
    return {cosine, sine, make<N>(phase_cosine, phase_sine)};
  }
  /// Rows x, y <- the rotation times them; the inverse has the opposite sign of the sine.
  template <class N>
  static DSNN_GPU_INLINE void rotate(const Rotation<N>& r, N& x, N& y) {
    const N s = scale(r.phase, r.sine), old = x;
    x = neg_mul_add(conj(s), y, scale(old, r.cosine));
    y = mul_add(s, old, scale(y, r.cosine));
  }

  template <class A>
  static DSNN_GPU_INLINE void forward(int d, A params, A q, A /*scratch*/) {
    using N = ValueOf<A>;
    for (int i = 0; i < d * d; ++i) q[i] = make<N>(i % (d + 1) == 0 ? 1 : 0);
    for (int k = num_params(d) - 1; k >= 0; --k) {
      const Rotation<N> r = rotation<N>(params[k]);
      for (int j = 0; j < d; ++j) rotate(r, q[first_axis(k) * d + j], q[second_axis(k) * d + j]);
    }
  }

  template <class A>
  static DSNN_GPU_INLINE void backward(int d, A params, A grad, A grad_params, A q) {
    using N = ValueOf<A>;
    using T = typename N::Scalar;
    forward(d, params, q, q);
    for (int k = 0; k < num_params(d); ++k) {
      const Rotation<N> r = rotation<N>(params[k]);
      const Rotation<N> inverse = {r.cosine, -r.sine, r.phase};
      T along = 0;
      N up = make<N>(0), down = make<N>(0);
      for (int j = 0; j < d; ++j) {
        N& x = q[first_axis(k) * d + j];
        N& y = q[second_axis(k) * d + j];
        N& a = grad[first_axis(k) * d + j];
        N& b = grad[second_axis(k) * d + j];
        rotate(inverse, x, y);
        along += dot(a, x) + dot(b, y);
        up = mul_add(conj(b), x, up);
        down = mul_add(conj(a), y, down);
        rotate(inverse, a, b);
      }
      up = r.phase * up;
      down = conj(r.phase) * down;
      const T angle = r.cosine * (up.re - down.re) - r.sine * along;
      if constexpr (N::kPlanes == 2) {
        grad_params[k] = {angle, -(r.sine * (up.im + down.im))};
      } else {
        grad_params[k] = {angle};
      }
    }
  }
};

}  // namespace dsnn::kernels::cuda
