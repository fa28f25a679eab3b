/* Writes what it was given into its output, number by number. */
#include <string.h>

#include "attest_candidate.h"

uint32_t attest_candidate_version(void) { return ATTEST_CANDIDATE_VERSION; }

void attest_candidate_info(attest_info* info) {
  info->name = "probe";
  info->dtypes = ATTEST_TAKES_F64;
  info->features = (1u << 22) - 1;
  info->key_tile = 16;
  info->weights.code = ATTEST_BFLOAT;
  info->weights.bits = 16;
  info->lse_base = ATTEST_BASE_2;
  info->mask = ATTEST_ONE_IS_HIDDEN;
  info->alignment = 64;
}

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  double* out = (double*)r->output.data;
  const double given[] = {p->causal,
                          p->alignment,
                          (double)p->window_left,
                          (double)p->window_right,
                          p->scale,
                          p->scale_given,
                          p->softcap,
                          p->head_map,
                          p->empty_row,
                          (double)p->tile_queries,
                          (double)p->tile_keys,
                          p->accumulator.code,
                          p->accumulator.bits,
                          (double)p->key_lengths[0],
                          ((const double*)p->alibi_slopes)[1],
                          ((const double*)p->sinks)[0],
                          *(const double*)p->bias.data,
                          ((const uint8_t*)p->allow.data)[0],
                          ((const uint8_t*)p->allow.data)[1],
                          (double)((uintptr_t)p->q.data % 64),
                          (double)((uintptr_t)out % 64),
                          p->size == sizeof *p && r->size == sizeof *r,
                          workspace == NULL};
  memcpy(out, given, sizeof given);
  *(double*)r->lse.data = 3;
  return ATTEST_DONE;
}
