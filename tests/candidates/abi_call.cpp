#include "tests/candidates/abi_call.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace attest::candidates {
namespace {

using properties::Declaration;
using properties::Element;
using properties::Feature;
using properties::Status;

// The header's constants are the enumerators of attest, in the same order.
constexpr std::uint32_t bit_of(Feature feature) { return 1u << static_cast<unsigned>(feature); }
static_assert(ATTEST_LSE == bit_of(Feature::lse) && ATTEST_WEIGHTS == bit_of(Feature::weights) &&
              ATTEST_TILES == bit_of(Feature::tiles) && ATTEST_BATCH == bit_of(Feature::batch) &&
              ATTEST_GQA == bit_of(Feature::gqa) &&
              ATTEST_INTERLEAVED_HEADS == bit_of(Feature::interleaved_heads) &&
              ATTEST_VALUE_WIDTH == bit_of(Feature::value_width) &&
              ATTEST_CROSS == bit_of(Feature::cross) &&
              ATTEST_STRIDES == bit_of(Feature::strides) &&
              ATTEST_SCALE == bit_of(Feature::scale) && ATTEST_CAUSAL == bit_of(Feature::causal) &&
              ATTEST_CAN_TOP_LEFT == bit_of(Feature::top_left) &&
              ATTEST_CAN_BOTTOM_RIGHT == bit_of(Feature::bottom_right) &&
              ATTEST_WINDOW == bit_of(Feature::window) &&
              ATTEST_KEY_LENGTHS == bit_of(Feature::key_lengths) &&
              ATTEST_ALLOW == bit_of(Feature::allow_mask) && ATTEST_BIAS == bit_of(Feature::bias) &&
              ATTEST_SOFTCAP == bit_of(Feature::softcap) &&
              ATTEST_ALIBI == bit_of(Feature::alibi) && ATTEST_SINKS == bit_of(Feature::sinks) &&
              ATTEST_CAN_EMPTY_ZERO == bit_of(Feature::empty_zero) &&
              ATTEST_CAN_EMPTY_NAN == bit_of(Feature::empty_nan));
static_assert(static_cast<int>(Alignment::square) == ATTEST_SQUARE &&
              static_cast<int>(Alignment::top_left) == ATTEST_TOP_LEFT &&
              static_cast<int>(Alignment::bottom_right) == ATTEST_BOTTOM_RIGHT &&
              static_cast<int>(HeadMap::blocked) == ATTEST_BLOCKED &&
              static_cast<int>(HeadMap::interleaved) == ATTEST_INTERLEAVED &&
              static_cast<int>(EmptyRow::error) == ATTEST_EMPTY_NEVER &&
              static_cast<int>(EmptyRow::zero) == ATTEST_EMPTY_ZERO &&
              static_cast<int>(EmptyRow::nan) == ATTEST_EMPTY_NAN);

constexpr attest_dtype dtype_of(Element element) {
  switch (element) {
    case Element::f64:
      return {ATTEST_FLOAT, 64};
    case Element::f16:
      return {ATTEST_FLOAT, 16};
    case Element::bf16:
      return {ATTEST_BFLOAT, 16};
    default:
      return {ATTEST_FLOAT, 32};
  }
}

template <class T>
attest_tensor tensor_of(const TensorView<T>& view, attest_dtype dtype) {
  attest_tensor t{};
  if (view.empty()) return t;
  t.data = const_cast<std::remove_const_t<T>*>(view.origin());
  t.dtype = dtype;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    t.shape[axis] = view.extents()[axis];
    t.strides[axis] = view.strides()[axis];
  }
  return t;
}

template <class T>
attest_tensor tensor_of(const TensorView<T>& view) {
  return tensor_of(view, dtype_of(properties::element_of<std::remove_const_t<T>>));
}

// A row-major copy with 0 and 1 exchanged.
attest_tensor exchanged(const TensorView<const std::uint8_t>& allow,
                        std::vector<std::uint8_t>& hidden) {
  const Extents& e = allow.extents();
  hidden.clear();
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h)
      for (Index i = 0; i < e[2]; ++i)
        for (Index j = 0; j < e[3]; ++j) hidden.push_back(allow(b, h, i, j) == 0);
  return tensor_of(TensorView<const std::uint8_t>(std::span<const std::uint8_t>(hidden), e),
                   {ATTEST_UINT, 8});
}

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

}  // namespace

template <class T>
AbiCall abi_call(const Problem<T>& problem, const AttentionResult<T>& result, Tiles tiles,
                 const attest_info& info) {
  const ProblemSpec<T>& spec = problem.spec();
  const VisibilityRule& rule = spec.visibility;
  AbiCall call{};
  attest_problem& p = call.problem;
  p.size = sizeof p;
  p.causal = rule.causal;
  p.q = tensor_of(spec.q);
  p.k = tensor_of(spec.k);
  p.v = tensor_of(spec.v);
  if (rule.allow)
    p.allow = info.mask == ATTEST_ONE_IS_HIDDEN ? exchanged(*rule.allow, call.hidden)
                                                : tensor_of(*rule.allow, {ATTEST_UINT, 8});
  if (spec.score.bias) p.bias = tensor_of(*spec.score.bias);
  if (!rule.key_lengths.empty()) p.key_lengths = rule.key_lengths.data();
  if (!spec.score.alibi_slopes.empty()) p.alibi_slopes = spec.score.alibi_slopes.data();
  if (!spec.sinks.empty()) p.sinks = spec.sinks.data();
  p.window_left = rule.window.left.value_or(-1);
  p.window_right = rule.window.right.value_or(-1);
  p.scale = spec.score.scale.value_or(1 / std::sqrt(static_cast<double>(problem.shape().width)));
  p.scale_given = spec.score.scale.has_value();
  p.softcap = spec.score.softcap.value_or(0);
  p.alignment = static_cast<int>(rule.alignment);
  p.head_map = static_cast<int>(spec.head_map);
  p.empty_row = static_cast<int>(spec.empty_row);
  p.accumulator = dtype_of(properties::element_of<Accumulator<T>>);
  p.tile_queries = tiles.queries;
  p.tile_keys = tiles.keys;
  call.result = {.size = sizeof call.result,
                 .output = tensor_of(result.output),
                 .lse = tensor_of(result.lse),
                 .weights = tensor_of(result.weights)};
  return call;
}

Status abi_status(int code) {
  if (code == ATTEST_DONE) return {};
  if (code == ATTEST_UNSUPPORTED)
    return {.kind = Status::Kind::unsupported, .reason = "declined by the candidate"};
  return {.kind = Status::Kind::failed, .reason = "returned error " + std::to_string(code)};
}

template <class T>
void settle_lse(const AttentionResult<T>& result, const attest_info& info) {
  if (info.lse_base != ATTEST_BASE_2 || result.lse.empty()) return;
  const Extents& e = result.lse.extents();
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h)
      for (Index i = 0; i < e[2]; ++i) {
        Accumulator<T>& lse = result.lse(b, h, i, 0);
        lse = static_cast<Accumulator<T>>(static_cast<double>(lse) * std::numbers::ln2);
      }
}

Declaration declaration_of(const attest_info& info) {
  Declaration d{.name = info.name == nullptr || *info.name == '\0' ? "unnamed" : info.name,
                .elements = {},
                .features = {}};
  if (d.name.find_first_of("\n\r") != std::string::npos) refuse("its name has a line break");
  constexpr std::uint32_t takes[] = {ATTEST_TAKES_F32, ATTEST_TAKES_F64, ATTEST_TAKES_F16,
                                     ATTEST_TAKES_BF16};
  std::uint32_t known = 0;
  for (unsigned n = 0; n < 4; ++n) {
    known |= takes[n];
    if (info.dtypes & takes[n]) d.elements.push_back(static_cast<Element>(n));
  }
  if (d.elements.empty()) refuse("it takes no element type (attest_info.dtypes is 0)");
  if (info.dtypes & ~known) refuse("attest_info.dtypes has unknown bits");
  for (int n = 0; n < properties::feature_count; ++n)
    if (info.features & bit_of(static_cast<Feature>(n)))
      d.features = d.features.with({static_cast<Feature>(n)});
  if (info.features >> properties::feature_count) refuse("attest_info.features has unknown bits");
  if (info.key_tile < 0) refuse("attest_info.key_tile is negative");
  if (info.key_tile > 0) d.key_tile = info.key_tile;
  if (info.weights.bits != 0 || info.weights.code != 0) {
    for (const Element element : {Element::f32, Element::f64, Element::f16, Element::bf16})
      if (dtype_of(element).code == info.weights.code &&
          dtype_of(element).bits == info.weights.bits)
        d.weight_element = element;
    if (!d.weight_element) refuse("attest_info.weights is none of f32, f64, f16, bf16");
  }
  if (info.lse_base != ATTEST_BASE_E && info.lse_base != ATTEST_BASE_2)
    refuse("attest_info.lse_base is unknown");
  if (info.mask != ATTEST_ONE_IS_VISIBLE && info.mask != ATTEST_ONE_IS_HIDDEN)
    refuse("attest_info.mask is unknown");
  if (info.alignment > 4096 || (info.alignment != 0 && !std::has_single_bit(info.alignment)))
    refuse("attest_info.alignment is no power of two up to 4096");
  return d;
}

template AbiCall abi_call(const Problem<float>&, const AttentionResult<float>&, Tiles,
                          const attest_info&);
template AbiCall abi_call(const Problem<double>&, const AttentionResult<double>&, Tiles,
                          const attest_info&);
template AbiCall abi_call(const Problem<Float16>&, const AttentionResult<Float16>&, Tiles,
                          const attest_info&);
template AbiCall abi_call(const Problem<BFloat16>&, const AttentionResult<BFloat16>&, Tiles,
                          const attest_info&);
template void settle_lse(const AttentionResult<float>&, const attest_info&);
template void settle_lse(const AttentionResult<double>&, const attest_info&);
template void settle_lse(const AttentionResult<Float16>&, const attest_info&);
template void settle_lse(const AttentionResult<BFloat16>&, const attest_info&);

}  // namespace attest::candidates
