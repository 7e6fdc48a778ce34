#include "dsnn/spectral/eigenpairs.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/util/random.h"

#include "util/eigen_solver.h"
#include "util/index.h"

#include <Eigen/Core>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

// Why not a library: Spectra 1.0 supports only real symmetric operators, where complex operators
// have all eigenvalues twice, and fails if the Krylov space closes early, as on a star. SLEPc would
// make every start of the program initialise MPI.

namespace dsnn {
namespace {

using Vector = Eigen::VectorXcd;
using Basis = Eigen::MatrixXcd;  // orthonormal columns

// Operators up to this size may be solved as dense matrices if most of the spectrum is wanted.
constexpr std::int64_t kLargestDense = 1500;

/// A, with the wanted end of the spectrum as largest eigenvalues: L, or b I - L with upper bound b.
class TurnedOperator {
 public:
  TurnedOperator(const LaplacianOperator& laplacian, SpectrumEnd end)
      : laplacian_(laplacian), end_(end) {}

  Eigen::Index size() const { return laplacian_.size(); }
  double bound() const { return laplacian_.upper_bound(); }
  std::int64_t num_products() const { return num_products_; }
  /// An eigenvalue of L from one of A.
  double turn_back(double value) const {
    return end_ == SpectrumEnd::kLargest ? value : bound() - value;
  }
  Vector times(const Vector& x) {
    report_progress("eigenvalues: products", num_products_++, 0);
    const std::vector<Complex> product = laplacian_.apply({x.data(), at(x.size())});
    const Eigen::Map<const Vector> y(product.data(), x.size());
    if (end_ == SpectrumEnd::kLargest) return y;
    return bound() * x - y;
  }

 private:
  const LaplacianOperator& laplacian_;
  SpectrumEnd end_;
  std::int64_t num_products_ = 0;
};

/// Eigenpairs of A within a subspace, by descending value: vectors, their images under A, and
/// residuals.
struct RitzPairs {
  Eigen::VectorXd values;
  Basis vectors;
  Basis images;
  Eigen::VectorXd residuals;
};

/// The `count` largest Ritz pairs of the span of x, whose image under A is given.
RitzPairs rayleigh_ritz(const Basis& x, const Basis& image, Eigen::Index count) {
  const Basis projected = x.adjoint() * image;
  const Basis rows = ((projected + projected.adjoint()) / 2).transpose();
  const auto [values, vectors] = solve_hermitian({rows.data(), at(rows.size())});
  const Eigen::Map<const Basis> all(vectors.data(), rows.rows(), rows.cols());
  const Basis turn = all.rightCols(count).rowwise().reverse();  // from ascending order
  RitzPairs pairs;
  pairs.values =
      Eigen::Map<const Eigen::VectorXd>(values.data(), rows.rows()).tail(count).reverse();
  pairs.vectors = x * turn;
  pairs.images = image * turn;
  pairs.residuals =
      (pairs.images - pairs.vectors * pairs.values.cast<Complex>().asDiagonal()).colwise().norm();
  return pairs;
}

/// Lanczos in the space orthogonal to the eigenvectors found before.
class Lanczos {
 public:
  Lanczos(TurnedOperator& op, const Basis& found, Random& random)
      : op_(op), found_(found), random_(random) {}

  /// The `wanted` largest pairs.
  RitzPairs run(Eigen::Index wanted, const EigenOptions& options) {
    const Eigen::Index room = std::min(op_.size() - found_.cols(), 2 * wanted + 24);
    const double tolerance = options.tolerance * op_.bound();
    v_.resize(op_.size(), room);
    image_.resize(op_.size(), room);
    used_ = 0;
    append(random_direction());
    for (int restart = 0;; ++restart) {
      while (used_ < room) append(next_direction());
      const Eigen::Index kept = std::min(room, (wanted + room) / 2);
      RitzPairs pairs = rayleigh_ritz(v_, image_, kept);
      const Eigen::Index count = std::min(wanted, kept);
      const auto converged = (pairs.residuals.head(count).array() <= tolerance).count();
      const bool is_last = restart == options.max_restarts && !options.require_convergence;
      if (converged == count || room == kept || is_last) {
        pairs.values.conservativeResize(count);
        pairs.vectors.conservativeResize(Eigen::NoChange, count);
        pairs.residuals.conservativeResize(count);
        return pairs;
      }
      if (restart == options.max_restarts) {
        throw Error(fmt::format(
            "eigenvalues: {} of {} converged to a relative {:g} within {} products; try "
            "a larger tolerance",
            converged, count, options.tolerance, op_.num_products()));
      }
      // Thick restart: the best Ritz vectors and the direction in which all their residuals point.
      const Vector next = next_direction();
      v_.leftCols(kept) = pairs.vectors;
      image_.leftCols(kept) = pairs.images;
      used_ = kept;
      append(next);
    }
  }

 private:
  void append(const Vector& direction) {
    v_.col(used_) = direction;
    image_.col(used_) = op_.times(direction);
    ++used_;
  }

  /// Makes x orthogonal to all vectors so far; returns its remaining norm, relative to its length.
  double orthonormalise(Vector& x) const {
    const double before = x.norm();
    if (before == 0) return 0;
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough for orthogonality to rounding
      x -= found_ * (found_.adjoint() * x);
      x -= v_.leftCols(used_) * (v_.leftCols(used_).adjoint() * x);
    }
    const double after = x.norm();
    if (after > 0) x /= after;
    return after / before;
  }

  Vector random_direction() {
    Vector x(op_.size());
    do {
      for (Complex& entry : x) {
        const double real = random_.uniform(-1, 1);
        entry = {real, random_.uniform(-1, 1)};
      }
    } while (orthonormalise(x) < 1e-8);
    return x;
  }

  /// The new part of A v, v the last vector. If it is 0, the space is invariant, and a random
  /// vector searches for what is missing.
  Vector next_direction() {
    Vector x = image_.col(used_ - 1);
    if (x.norm() <= 1e-14 * op_.bound() || orthonormalise(x) < 1e-13) {
      return used_ + found_.cols() < op_.size() ? random_direction() : Vector::Zero(op_.size());
    }
    Vector again = x;
    orthonormalise(again);  // the rest may be short, with relatively large rounding errors
    return again;
  }

  TurnedOperator& op_;
  const Basis& found_;
  Random& random_;
  Basis v_;      // orthonormal columns, the first used_ of them
  Basis image_;  // A v_
  Eigen::Index used_ = 0;
};

[[noreturn]] void refuse_size() {
  throw Error("eigenvalues: the operator's entries are too large or too small for a double");
}

/// The pairs of L, after a last projection on all vectors found.
Eigenpairs finish(TurnedOperator& op, const Basis& found, Eigen::Index wanted) {
  Basis image(found.rows(), found.cols());
  for (Eigen::Index j = 0; j < found.cols(); ++j) image.col(j) = op.times(found.col(j));
  const RitzPairs ritz = rayleigh_ritz(found, image, std::min(wanted, found.cols()));
  Eigenpairs pairs;
  for (Eigen::Index j = 0; j < ritz.values.size(); ++j) {
    if (!std::isfinite(ritz.values[j]) || !std::isfinite(ritz.residuals[j])) {
      refuse_size();
    }
    pairs.values.push_back(op.turn_back(ritz.values[j]));
    pairs.residuals.push_back(ritz.residuals[j]);
    pairs.vectors.insert(pairs.vectors.end(), ritz.vectors.col(j).begin(),
                         ritz.vectors.col(j).end());
  }
  pairs.num_products = op.num_products();
  return pairs;
}

Eigenpairs solve_lanczos(TurnedOperator& op, Eigen::Index wanted, const EigenOptions& options) {
  struct Found {
    double value, residual;
  };
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * op.bound();
  Random random(1);
  Basis found(op.size(), 0);
  std::vector<Found> list;
  while (found.cols() < op.size()) {
    const Eigen::Index missing = wanted - found.cols();
    const RitzPairs pairs =
        Lanczos(op, found, random).run(std::max<Eigen::Index>(missing, 1), options);
    if (missing <= 0) {
      // A value was missed only if it is better than the worst one by more than the errors, which
      // are bounded by the residuals.
      std::ranges::sort(list, std::greater<>(), &Found::value);
      const Found& worst = list[at(wanted - 1)];
      const double margin = worst.residual + pairs.residuals[0] + rounding;
      if (pairs.values[0] <= worst.value + margin) break;  // nothing better is left
    }
    found.conservativeResize(Eigen::NoChange, found.cols() + pairs.vectors.cols());
    found.rightCols(pairs.vectors.cols()) = pairs.vectors;
    for (Eigen::Index j = 0; j < pairs.values.size(); ++j) {
      list.push_back({pairs.values[j], pairs.residuals[j]});
    }
    if (!options.find_multiples) break;
  }
  return finish(op, found, wanted);
}

/// L = 0: every vector is an eigenvector.
Eigenpairs zero_eigenpairs(std::int64_t size, std::int64_t wanted) {
  Eigenpairs pairs;
  pairs.values.assign(at(wanted), 0);
  pairs.residuals.assign(at(wanted), 0);
  pairs.vectors.assign(at(wanted * size), Complex(0));
  for (std::int64_t i = 0; i < wanted; ++i) pairs.vectors[at(i * size + i)] = 1;
  return pairs;
}

}  // namespace

Eigenpairs extremal_eigenpairs(const LaplacianOperator& laplacian, const EigenOptions& options) {
  if (options.count < 1) {
    throw Error(fmt::format("eigenvalues: {} requested, expected 1 or more", options.count));
  }
  if (!(options.tolerance > 0)) {
    throw Error(
        fmt::format("eigenvalues: the tolerance is {}, expected more than 0", options.tolerance));
  }
  const std::int64_t size = laplacian.size();
  const std::int64_t wanted = std::min<std::int64_t>(options.count, size);
  if (laplacian.upper_bound() == 0 || size == 0) return zero_eigenpairs(size, wanted);
  if (!std::isfinite(laplacian.upper_bound())) refuse_size();
  TurnedOperator op(laplacian, options.end);
  const bool is_most = wanted > size / 4;
  if (is_most && size > std::max(options.dense_limit, kLargestDense)) {
    throw Error(fmt::format(
        "eigenvalues: {} requested of an operator of size {}, expected at most {} (a quarter)",
        options.count, size, size / 4));
  }
  if (size > options.dense_limit && !is_most) return solve_lanczos(op, wanted, options);
  Eigenpairs pairs = finish(op, Basis::Identity(size, size), wanted);
  pairs.is_dense = true;
  return pairs;
}

}  // namespace dsnn
