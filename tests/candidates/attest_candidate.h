/* The C interface between attest and an attention implementation under test. C99 and C++.
 *
 * A candidate is a shared object that defines three functions, and a fourth if it wants memory:
 *
 *   uint32_t attest_candidate_version(void)          return ATTEST_CANDIDATE_VERSION
 *   void attest_candidate_info(attest_info *info)    say what is supported
 *   int attest_candidate_forward(...)                compute one call
 *   uint64_t attest_candidate_workspace(...)         optional: bytes wanted for one call
 *
 * Copy this file beside your kernel; it needs nothing else of attest. Later versions add fields at
 * the end of structs only. A struct starts with its size as attest knows it, which is never smaller
 * than what a candidate of the same or an older version was compiled with.
 */
#ifndef ATTEST_CANDIDATE_H
#define ATTEST_CANDIDATE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATTEST_CANDIDATE_VERSION 1u

#if defined(__GNUC__)
#define ATTEST_EXPORT __attribute__((visibility("default")))
#else
#define ATTEST_EXPORT
#endif

/* Type of an element: DLPack's type code and width in bits. */
typedef struct attest_dtype {
  uint8_t code;
  uint8_t bits;
} attest_dtype;

enum { /* attest_dtype.code */
       ATTEST_INT = 0,
       ATTEST_UINT = 1,
       ATTEST_FLOAT = 2,
       ATTEST_BFLOAT = 4
};

/* A tensor of rank 4. Element (a, b, c, d) is at data[a*strides[0] + b*strides[1] + c*strides[2] +
 * d*strides[3]]; strides count elements and may be zero or negative. data == NULL: not given.
 * Only the elements that shape and strides reach may be touched; those of inputs only read. */
typedef struct attest_tensor {
  void* data;
  attest_dtype dtype;
  int64_t shape[4];
  int64_t strides[4];
} attest_tensor;

/* Which key lies on the diagonal of query i, where n = key_lengths[batch], or all keys. */
enum {
  ATTEST_SQUARE = 0,      /* key i; the numbers of queries and keys are equal */
  ATTEST_TOP_LEFT = 1,    /* key i */
  ATTEST_BOTTOM_RIGHT = 2 /* key i + n - queries */
};

/* Which key/value head serves query head h, for g = query heads / key/value heads. */
enum {
  ATTEST_BLOCKED = 0,    /* h / g */
  ATTEST_INTERLEAVED = 1 /* h % (key/value heads) */
};

/* What a row gives in which no key is visible and that has no sink. */
enum {
  ATTEST_EMPTY_NEVER = 0, /* there is no such row */
  ATTEST_EMPTY_ZERO = 1,  /* output and weights 0, lse -infinity */
  ATTEST_EMPTY_NAN = 2    /* output and weights NaN, lse -infinity */
};

/* One attention call. For every query i of head h, over its visible keys j:
 *
 *   s = scale * (q_i . k_j);  softcap != 0: s = softcap * tanh(s / softcap);
 *   s += bias;  s -= slope_h * |j - diagonal|;   output_i = sum of softmax(s)_j * v_j
 *
 * A key is visible when all of these that are given allow it: j < key_lengths[batch]; causal: j <=
 * diagonal; window: diagonal - window_left <= j <= diagonal + window_right; allow. A sink is one
 * more logit in the softmax's denominator, with no value. A bias of -infinity hides its pair.
 *
 * allow and bias are (batch or 1, query heads or 1, queries or 1, keys or 1); where an extent is 1
 * it holds for all. Bias, slopes and sinks have the type `accumulator`: f64 for f64, else f32. */
typedef struct attest_problem {
  uint32_t size;
  int32_t causal;      /* 0 or 1 */
  attest_tensor q;     /* (batch, query heads, queries, width) */
  attest_tensor k;     /* (batch, key/value heads, keys, width) */
  attest_tensor v;     /* (batch, key/value heads, keys, value width) */
  attest_tensor allow; /* uint8; see attest_info.mask */
  attest_tensor bias;
  const int64_t* key_lengths; /* one per batch entry, or NULL */
  const void* alibi_slopes;   /* one per query head, or NULL */
  const void* sinks;          /* one per query head, or NULL */
  int64_t window_left;        /* -1: no limit */
  int64_t window_right;       /* -1: no limit */
  double scale;               /* always set */
  double softcap;             /* 0: none */
  int32_t scale_given;        /* 0: scale is the usual 1/sqrt(width) */
  int32_t alignment;          /* ATTEST_SQUARE... */
  int32_t head_map;           /* ATTEST_BLOCKED... */
  int32_t empty_row;          /* ATTEST_EMPTY_NEVER... */
  attest_dtype accumulator;
  int64_t tile_queries; /* tile sizes to use; for candidates with ATTEST_TILES */
  int64_t tile_keys;
} attest_problem;

/* Where to write: every element of every tensor given. */
typedef struct attest_result {
  uint32_t size;
  attest_tensor output;  /* (batch, query heads, queries, value width), the type of q */
  attest_tensor lse;     /* (batch, query heads, queries, 1), accumulator type, or not given */
  attest_tensor weights; /* (batch, query heads, queries, keys), accumulator type, or not given */
} attest_result;

/* What attest_candidate_forward returns; any other number is a failure with that number. */
enum {
  ATTEST_DONE = 0,
  ATTEST_UNSUPPORTED = 1 /* this call is not taken: counted, never held against the candidate */
};

/* attest_info.dtypes */
#define ATTEST_TAKES_F32 1u
#define ATTEST_TAKES_F64 2u
#define ATTEST_TAKES_F16 4u
#define ATTEST_TAKES_BF16 8u

/* attest_info.features. Plain dense attention with the usual scale needs none of these; what is
 * not stated here is never asked for. */
#define ATTEST_LSE (1u << 0)     /* writes lse */
#define ATTEST_WEIGHTS (1u << 1) /* writes weights */
#define ATTEST_TILES (1u << 2)   /* obeys tile_queries and tile_keys */
#define ATTEST_BATCH (1u << 3)   /* more than one sequence */
#define ATTEST_GQA (1u << 4)     /* fewer key/value heads than query heads */
#define ATTEST_INTERLEAVED_HEADS (1u << 5)
#define ATTEST_VALUE_WIDTH (1u << 6) /* value width other than width */
#define ATTEST_CROSS (1u << 7)       /* queries other in number than keys */
#define ATTEST_STRIDES (1u << 8)     /* tensors that are not row-major */
#define ATTEST_SCALE (1u << 9)
#define ATTEST_CAUSAL (1u << 10)
#define ATTEST_CAN_TOP_LEFT (1u << 11)
#define ATTEST_CAN_BOTTOM_RIGHT (1u << 12)
#define ATTEST_WINDOW (1u << 13)
#define ATTEST_KEY_LENGTHS (1u << 14)
#define ATTEST_ALLOW (1u << 15)
#define ATTEST_BIAS (1u << 16)
#define ATTEST_SOFTCAP (1u << 17)
#define ATTEST_ALIBI (1u << 18)
#define ATTEST_SINKS (1u << 19)
#define ATTEST_CAN_EMPTY_ZERO (1u << 20)
#define ATTEST_CAN_EMPTY_NAN (1u << 21)

enum { /* attest_info.lse_base */
       ATTEST_BASE_E = 0,
       ATTEST_BASE_2 = 1
};

enum { /* attest_info.mask */
       ATTEST_ONE_IS_VISIBLE = 0,
       ATTEST_ONE_IS_HIDDEN = 1
};

/* What a candidate says of itself. attest fills it with zeros before the call. */
typedef struct attest_info {
  uint32_t size;
  const char* name;     /* for reports; must outlive the call */
  uint32_t dtypes;      /* ATTEST_TAKES_F32... */
  uint32_t features;    /* ATTEST_LSE... */
  int64_t key_tile;     /* keys held at a time where partial sums are rescaled (online softmax; 1 is
                           the widest bound); 0: a row's maximum is known before its sum starts */
  attest_dtype weights; /* type in which weights wait for the product with v; {0, 0}: accumulator */
  int32_t lse_base;     /* ATTEST_BASE_E: natural logarithm */
  int32_t mask;         /* how `allow` is wanted */
  uint32_t alignment; /* bytes that data pointers must be a multiple of, a power of two up to 4096;
                         0: that of an element */
} attest_info;

ATTEST_EXPORT uint32_t attest_candidate_version(void);
ATTEST_EXPORT void attest_candidate_info(attest_info* info);

/* `workspace` is NULL without attest_candidate_workspace; it is aligned to 64 bytes and holds
 * anything. */
ATTEST_EXPORT int attest_candidate_forward(const attest_problem* problem,
                                           const attest_result* result, void* workspace);
ATTEST_EXPORT uint64_t attest_candidate_workspace(const attest_problem* problem);

#ifdef __cplusplus
}
#endif

#endif /* ATTEST_CANDIDATE_H */
