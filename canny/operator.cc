// SPDX-License-Identifier: LGPL-2.1-or-later
// The weights of the gradient operators.
#include "canny/operator.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>

#include "canny/settings.h"

namespace canny {
namespace {

constexpr OperatorWeights separable3(int side, int middle) {
  return {OperatorForm::kSeparable, 1, {side, middle, side}, {-1, 0, 1}};
}

// In the order of Operator.
constexpr OperatorWeights kWeights[] = {
    separable3(1, 2),
    {OperatorForm::kSeparable, 2, {1, 4, 6, 4, 1}, {-1, -2, 0, 2, 1}},
    {OperatorForm::kSeparable, 3, {1, 6, 15, 20, 15, 6, 1}, {-1, -4, -5, 0, 5, 4, 1}, {}, 4},
    separable3(3, 10),
    separable3(1, 1),
    separable3(17, 61),
    {OperatorForm::kDiagonal},
    {OperatorForm::kCompass, 1, {}, {}, {2, 1, 0, -1, -2, -1, 0, 1}},
    {OperatorForm::kCompass, 1, {}, {}, {5, 5, -3, -3, -3, -3, -3, 5}},
};
static_assert(std::size(kWeights) == static_cast<std::size_t>(Operator::kKirsch) + 1);

// The sum of the weights that are above 0.
template <int kCount>
int positive_sum(const int (&weights)[kCount]) {
  return std::accumulate(std::begin(weights), std::end(weights), 0,
                         [](int sum, int weight) { return sum + std::max(weight, 0); });
}

}  // namespace

OperatorWeights operator_weights(Operator op) {
  const auto i = static_cast<std::size_t>(op);
  return i < std::size(kWeights) ? kWeights[i] : OperatorWeights();
}

int operator_gain(const OperatorWeights& weights) {
  if (weights.form == OperatorForm::kDiagonal) return 1;
  if (weights.form == OperatorForm::kCompass) return positive_sum(weights.east);
  return positive_sum(weights.smooth) * positive_sum(weights.difference) >> weights.shift;
}

void set_default_thresholds(Params* params) noexcept {
  const auto response = [](Operator op) {
    const OperatorWeights weights = operator_weights(op);
    return static_cast<double>(operator_gain(weights) << weights.shift);
  };
  constexpr Params kDefaults;
  const double factor = response(params->gradient_operator) / response(kDefaults.gradient_operator);
  params->low_threshold = factor * kDefaults.low_threshold;
  params->high_threshold = factor * kDefaults.high_threshold;
}

}  // namespace canny
