#pragma once

#include <vector>

#include "attention/problem.h"

namespace attest {

// Every number of one row of attention, between a query and its output, by the kernel's own steps.
// Arrays over keys have one element per key; a step that the problem does not ask for repeats the
// step before it.
struct RowTrace {
  std::vector<double> products;      // q . k
  std::vector<double> scaled;        // products * scale
  std::vector<double> capped;        // softcap * tanh(scaled / softcap)
  std::vector<double> biased;        // capped + bias
  std::vector<double> sloped;        // biased - slope * |key - diagonal|
  std::vector<double> masked;        // sloped; -infinity where the key is hidden
  std::vector<double> shifted;       // masked - max
  std::vector<double> exponentials;  // e^shifted; exactly 0 where the key is hidden
  std::vector<double> weights;       // exponentials / sum
  std::vector<double> output;        // sum over keys of weight * value
  double max = 0;                    // over visible keys and the sink; -infinity for an empty row
  double sum = 0;                    // of the exponentials and of e^(sink - max)
  double lse = 0;                    // max + ln(sum)
};

// Traces query i of (batch b, query head h). weights, output and lse are bit for bit those of
// explicit_attention<double>. Throws InputError for a position outside the problem.
RowTrace trace_row(const Problem<double>& problem, Index b, Index h, Index i);

}  // namespace attest
