/* The example kernel under other names, for candidates that spoil what it gives. */
#ifndef WELL_BEHAVED_H
#define WELL_BEHAVED_H

#define attest_candidate_forward well_behaved_forward
#define attest_candidate_workspace well_behaved_workspace
#include "../example/my_kernel.c"
#undef attest_candidate_forward
#undef attest_candidate_workspace

/* The last element of a tensor in memory, where every stride is positive. */
static inline float* last(const attest_tensor* t) {
  float* element = (float*)t->data;
  for (int axis = 0; axis < 4; ++axis) element += (t->shape[axis] - 1) * t->strides[axis];
  return element;
}

static inline int well_behaved(const attest_problem* p, const attest_result* r) {
  float weights[4096];
  return p->k.shape[2] > 4096 ? ATTEST_UNSUPPORTED : well_behaved_forward(p, r, weights);
}

#endif
