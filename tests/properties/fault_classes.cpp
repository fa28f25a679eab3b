#include "tests/properties/fault_classes.h"

#include <algorithm>
#include <string>

#include "attention/error.h"
#include "attention/spelling.h"

namespace attest::properties {
namespace {

constexpr FaultClass classes[] = {
    {"alibi-distance", "counts the distance to a key from the wrong token",
     "vllm-project/vllm#945"},
    {"alibi-slopes", "gives a head another head's slope, or a slope of the wrong series",
     "ml-explore/mlx#3071"},
    {"bias-batch-order", "adds the bias of another sequence of the batch", "jwohlwend/boltz#523"},
    {"bias-ignored", "takes a bias and does not add it", "microsoft/onnxscript#1833"},
    {"block-table", "reads the keys of another sequence of the batch",
     "vllm-project/vllm#7018, tanishqkumar/ssd#22"},
    {"bool-mask-added", "does arithmetic on a boolean mask instead of hiding",
     "microsoft/onnxscript#656"},
    {"cache-resume", "is right in prefill and wrong when it goes on from a cache",
     "tenstorrent/vllm#415"},
    {"causal-alignment", "ties the causal diagonal to the wrong corner where lengths differ",
     "NVIDIA/cutlass#2336, ml-explore/mlx#2967, pytorch/pytorch#103082, jax-ml/jax#24491, "
     "gittensor-ai-lab/sparkinfer#3"},
    {"causal-dropped", "forgets causal order on one of its paths",
     "keras-team/keras#23038, facebookresearch/xformers#103"},
    {"causal-granularity", "asks the causal question once for several rows",
     "pytorch/pytorch#195910"},
    {"constant-shift", "subtracts a constant, or an unfit maximum, before the exponential",
     "HabanaAI/vllm-fork#275"},
    {"dropout-in-eval", "draws at random where nothing should be random", "pytorch/pytorch#124464"},
    {"finite-sentinel", "hides with a large finite score, which still has a weight",
     "ahrefs/ocannl#548"},
    {"float-mask-as-bool", "reads an additive mask as a boolean one", "pytorch/pytorch#107084"},
    {"fp16-overflow", "replaces elements by numbers that a half cannot hold", "NVIDIA/kvpress#268"},
    {"fp16-score-overflow", "overflows in a half where a float would have held the score",
     "pytorch/pytorch#119131, ultralytics/ultralytics#24990, pytorch/pytorch#176559"},
    {"fully-masked-path-mismatch", "gives rows without keys different results on two paths",
     "pytorch/pytorch#190486"},
    {"fully-masked-row", "gives NaN, a mean or old memory for a row that sees no key",
     "pytorch/pytorch#103963, pytorch/pytorch#103749, pytorch/pytorch#109517, "
     "ml-explore/mlx#2608, ml-explore/mlx#2395, tracel-ai/burn#4697, iree-org/iree#24178, "
     "robertknight/rten#1321"},
    {"gqa-head-map", "lets query heads read the wrong key/value head",
     "PSAL-POSTECH/ONNXim#34, EricLBuehler/candle-vllm#52"},
    {"gqa-repeat-axis", "repeats keys along the tokens instead of the heads",
     "ByteDance-Seed/VeOmni#162"},
    {"head-index-collapse", "computes a head's offset as 0, so that all read the first",
     "BobMcDear/attorch#14"},
    {"index-overflow", "counts offsets in too narrow an integer", "pytorch/pytorch#162588"},
    {"kv-length-ignored", "attends to padding past a sequence's length", "jax-ml/jax#23349"},
    {"kv-scale-ignored", "takes a factor for keys or values and does not apply it",
     "flashinfer-ai/flashinfer#4979"},
    {"layout-split", "splits joined heads without changing the order of the axes",
     "reczoo/FuxiCTR#30"},
    {"low-precision-softmax", "keeps weights or sums in too narrow a type",
     "pytorch/pytorch#128922"},
    {"lse-base", "gives or reads the LSE in base 2 where e is meant", "vllm-project/vllm#28840"},
    {"lse-empty", "gives an empty part an LSE or output that spoils a merge",
     "flashinfer-ai/flashinfer#4484"},
    {"lse-layout", "stores the LSE in another order than the rows",
     "vllm-project/flash-attention#87"},
    {"lse-not-stored", "leaves the LSE unwritten on one of its paths",
     "flashinfer-ai/flashinfer#50"},
    {"mask-batch-broadcast", "uses the mask of one sequence for the whole batch, or half of it",
     "huggingface/candle#3582, lucidrains/graph-transformer-pytorch#2"},
    {"mask-batch-stride", "steps to the next sequence's mask by the wrong stride",
     "microsoft/onnxruntime-genai#1639"},
    {"mask-broadcast-slice", "loses an axis of a broadcast mask and reads another part of it",
     "pytorch/pytorch#163426"},
    {"mask-convention-mismatch", "reads zeros of an additive mask as hidden",
     "harvard-edge/cs249r_book#1785"},
    {"mask-dtype", "takes a mask of another type for a boolean one", "keras-team/keras#20511"},
    {"mask-head-batch-order", "pairs masks in order of batches with data in order of heads",
     "lsdefine/attention-is-all-you-need-keras#36"},
    {"mask-ignored", "takes a mask and does not use it", "AI-Hypercomputer/maxtext#878"},
    {"mask-multiplicative", "multiplies scores by the mask, which leaves a weight where it hides",
     "openxla/xla#11444"},
    {"mask-polarity", "hides what is visible and shows what is hidden",
     "lucidrains/x-transformers#160"},
    {"mask-wrong-axis", "applies flags of keys to queries, or the mask transposed",
     "hyunwoongko/transformer#40"},
    {"masked-tile-finite-sentinel", "lets a wholly hidden tile add to the sum",
     "tile-ai/TileOPs#296"},
    {"nan-through-mask", "lets a NaN in a hidden key or value through", "pytorch/pytorch#101967"},
    {"nan-through-padding", "lets unwritten memory past the last key through",
     "deepbeepmeep/Wan2GP#1628"},
    {"out-of-bounds", "reads or writes beside its tensors", "pytorch/pytorch#174861"},
    {"position-offset", "counts positions from the wrong token",
     "fla-org/flash-linear-attention#902, rajveer43/VeloxQuant-MLX#389, mirage-project/mirage#398"},
    {"race", "depends on the order in which threads happen to run", "JustVugg/colibri#1098"},
    {"running-max-sentinel", "starts the running maximum at a finite number above some scores",
     "flashinfer-ai/flashinfer#4267"},
    {"scale-default-literal", "takes the mark for no scale as a scale",
     "SKaiNET-developers/SKaiNET#880"},
    {"scale-inverted", "multiplies by the root of the width instead of dividing",
     "AI-Hypercomputer/maxtext#1370"},
    {"scale-missing", "does not scale the scores on one of its paths", "mlc-ai/mlc-llm#3426"},
    {"scale-wrong", "scales by another factor", "NVIDIA/Megatron-LM#848"},
    {"segment-mask-ignored", "attends across the segments of a packed row",
     "AI-Hypercomputer/maxtext#4476"},
    {"segment-mask-overwritten", "replaces the caller's limits by its own",
     "fla-org/flash-linear-attention#838"},
    {"sink-count", "counts a sink twice, or not at all, among the parts of a split",
     "ROCm/rocm-libraries#12229"},
    {"sink-dropped", "leaves the sink out on one of its paths", "kekzl/imp#1303"},
    {"softcap-ignored", "takes a softcap and does not apply it", "sgl-project/sgl-kernel-xpu#491"},
    {"softcap-ignored-path", "leaves the softcap out on one of its paths", "kekzl/imp#688"},
    {"softcap-order", "caps after the mask, which makes hidden scores finite",
     "flashinfer-ai/flashinfer#350"},
    {"softmax-axis", "normalises over the queries instead of the keys",
     "nerdai/llms-from-scratch-rs#30"},
    {"stale-cache-key", "answers a call with what it kept of another", "pytorch/pytorch#184122"},
    {"state-leak", "lets a call change what later calls do", "NVIDIA/Megatron-LM#411"},
    {"stride-ignored", "reads a strided tensor as if it were contiguous",
     "ROCm/pytorch#3230, pytorch/pytorch#181133, pytorch/pytorch#163597, "
     "torch-spyre/torch-spyre#4331"},
    {"stride-innermost", "assumes that neighbouring features lie side by side",
     "pytorch/pytorch#187506"},
    {"tile-tail", "is right only where lengths are multiples of its tiles",
     "jax-ml/jax#27224, FluxML/NNkernels.jl#16"},
    {"value-dim", "uses the width of keys where that of values differs", "pytorch/pytorch#176767"},
    {"window-off-by-one", "counts an end of the window out instead of in",
     "NVIDIA/TransformerEngine#1197, ml-explore/mlx-lm#390"},
    {"window-right-bound-dropped", "limits the window to one side only", "jax-ml/jax#39576"},
};

const FaultClass& fault_class_named(std::string_view id) {
  std::vector<std::string_view> ids;
  for (const FaultClass& fault : classes) {
    if (fault.id == id) return fault;
    ids.push_back(fault.id);
  }
  throw InputError("fault class", "\"" + std::string(id) + "\"",
                   listed(ids) + did_you_mean(id, ids));
}

}  // namespace

std::span<const FaultClass> fault_classes() { return classes; }

std::vector<const FaultClass*> fault_classes_in(std::string_view ids) {
  std::vector<const FaultClass*> found;
  while (!ids.empty()) {
    const std::size_t comma = std::min(ids.find(','), ids.size());
    found.push_back(&fault_class_named(ids.substr(0, comma)));
    ids.remove_prefix(comma);
    while (!ids.empty() && (ids[0] == ',' || ids[0] == ' ')) ids.remove_prefix(1);
  }
  return found;
}

}  // namespace attest::properties
