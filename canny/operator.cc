// SPDX-License-Identifier: LGPL-2.1-or-later
// The weights of the gradient operators.
#include "canny/operator.h"

#include <algorithm>
#include <numeric>

#include "canny/settings.h"

namespace canny {
namespace {

OperatorWeights separable3(int side, int middle) {
  return {OperatorForm::kSeparable, 1, {side, middle, side}, {-1, 0, 1}};
}

OperatorWeights compass(const int (&east)[8]) {
  OperatorWeights weights;
  weights.form = OperatorForm::kCompass;
  std::copy(std::begin(east), std::end(east), weights.east);
  return weights;
}

// The sum of the weights that are above 0.
template <int kCount>
int positive_sum(const int (&weights)[kCount]) {
  return std::accumulate(std::begin(weights), std::end(weights), 0,
                         [](int sum, int weight) { return sum + std::max(weight, 0); });
}

}  // namespace

OperatorWeights operator_weights(Operator op) {
  switch (op) {
    case Operator::kSobel:
      return separable3(1, 2);
    case Operator::kSobel5:
      return {OperatorForm::kSeparable, 2, {1, 4, 6, 4, 1}, {-1, -2, 0, 2, 1}};
    case Operator::kSobel7:
      return {OperatorForm::kSeparable, 3,  {1, 6, 15, 20, 15, 6, 1},
              {-1, -4, -5, 0, 5, 4, 1}, {}, 4};
    case Operator::kScharr:
      return separable3(3, 10);
    case Operator::kPrewitt:
      return separable3(1, 1);
    case Operator::kKroon:
      return separable3(17, 61);
    case Operator::kRoberts:
      return {OperatorForm::kDiagonal};
    case Operator::kRobinson:
      return compass({2, 1, 0, -1, -2, -1, 0, 1});
    case Operator::kKirsch:
      return compass({5, 5, -3, -3, -3, -3, -3, 5});
  }
  return {};
}

int operator_gain(const OperatorWeights& weights) {
  switch (weights.form) {
    case OperatorForm::kSeparable:
      return positive_sum(weights.smooth) * positive_sum(weights.difference) >> weights.shift;
    case OperatorForm::kDiagonal:
      return 1;
    case OperatorForm::kCompass:
      return positive_sum(weights.east);
  }
  return 0;
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
