#ifndef DSNN_C_H
#define DSNN_C_H

/*
 * The C interface of dsnn: for programs in C and for other languages. docs/c.md has a tour.
 *
 * Functions. Every function that can fail returns a dsnn_status; what it makes comes last in its
 * arguments and is untouched where it fails. dsnn_last_error() has the sentence. No exception
 * leaves a function.
 *
 * Handles. Graphs, datasets, operators and so on are handles, each closed by its own function.
 * NULL, a handle that was closed and one of another kind are DSNN_INVALID, not a crash. What was
 * made from a handle does not need it any more.
 *
 * Threads. All functions may be called by several threads at the same time, also with one handle.
 *
 * Arrays. The caller owns all arrays. The library reads no more of them than sizes and shapes say,
 * and keeps no pointer after a call. Functions that copy numbers out are told how many there is
 * room for, and fail if that is not exactly what there is; sizes can be asked for.
 *
 * Text. Structured options and results are JSON. Options are one object, or NULL or "" for no
 * options; a name that does not exist is an error. Text that a function returns is closed by
 * dsnn_text_free().
 *
 * Versions. dsnn_c_api_version() rises with additions in its lower 16 bits, and in its upper ones
 * with changes that break callers.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#if defined(DSNN_BUILDING_C_API)
#define DSNN_C_API __declspec(dllexport)
#else
#define DSNN_C_API __declspec(dllimport)
#endif
#else
#define DSNN_C_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define DSNN_C_API_VERSION 0x00010000u

typedef enum dsnn_status {
  DSNN_OK = 0,
  DSNN_INVALID = 1,   /* a handle or pointer that cannot be used */
  DSNN_ERROR = 2,     /* something in arguments, data or files is wrong */
  DSNN_CANCELLED = 3, /* a progress callback asked for it */
  DSNN_NO_MEMORY = 4,
  DSNN_INTERNAL = 5 /* a mistake of the library */
} dsnn_status;

/* Kinds of numbers in arrays. */
typedef enum dsnn_type {
  DSNN_FLOAT32 = 1,
  DSNN_FLOAT64 = 2,
  DSNN_INT32 = 3,
  DSNN_INT64 = 4
} dsnn_type;

/* Numbers in memory that the library reads: `size` of them, `stride` bytes from one to the next. */
typedef struct dsnn_array {
  const void* data;
  int32_t type; /* a dsnn_type */
  int64_t size;
  int64_t stride;
} dsnn_array;

/* The version that the library was built as; compare its upper 16 bits with DSNN_C_API_VERSION. */
DSNN_C_API uint32_t dsnn_c_api_version(void);
/* "0.1.0", of the whole library. */
DSNN_C_API const char* dsnn_version(void);
/* Why the last call of this thread that failed did: one sentence, good until its next call. */
DSNN_C_API const char* dsnn_last_error(void);
/* Gives text of the library back; NULL is fine. */
DSNN_C_API void dsnn_text_free(char* text);

/* ---- Graphs ---- */

typedef struct dsnn_graph dsnn_graph;

/*
 * A directed graph from its arcs. sources and targets are whole numbers, DSNN_INT32 or DSNN_INT64;
 * weights are DSNN_FLOAT32 or DSNN_FLOAT64, or NULL: every arc counts 1. num_nodes < 0: the largest
 * node + 1. Self-loops are left out, weights of an arc that is there twice add up. Pairs of
 * DSNN_INT32 (targets one number behind sources, both 8 bytes from one to the next) are read where
 * they lie, without a copy.
 */
DSNN_C_API dsnn_status dsnn_graph_create(int64_t num_nodes, const dsnn_array* sources,
                                         const dsnn_array* targets, const dsnn_array* weights,
                                         dsnn_graph** graph);
DSNN_C_API dsnn_status dsnn_graph_close(dsnn_graph* graph);

typedef struct dsnn_graph_sizes {
  int64_t num_nodes, num_arcs, num_edges, num_half_edges;
  int64_t num_self_loops, num_duplicates, num_zero_weight; /* arcs that were left out */
  int32_t is_weighted;
} dsnn_graph_sizes;
DSNN_C_API dsnn_status dsnn_graph_get_sizes(dsnn_graph* graph, dsnn_graph_sizes* sizes);

/* The arcs by (source, target), num_arcs of each; weights may be NULL. */
DSNN_C_API dsnn_status dsnn_graph_get_arcs(dsnn_graph* graph, int64_t num_arcs, int32_t* sources,
                                           int32_t* targets, double* weights);
/*
 * The half-edges by (owner, neighbour), the order of all arrays with an entry for each half-edge.
 * offsets: num_nodes + 1; the others num_half_edges: neighbour, the number of the reverse
 * half-edge, orientation (1, -1, or 0 for both ways), and weight A_uv. Any may be NULL.
 */
DSNN_C_API dsnn_status dsnn_graph_get_half_edges(dsnn_graph* graph, int64_t num_nodes,
                                                 int64_t num_half_edges, int64_t* offsets,
                                                 int32_t* neighbours, int64_t* reverses,
                                                 int8_t* orientations, double* weights);
/* Every arc turned round; and both arcs wherever there was one. */
DSNN_C_API dsnn_status dsnn_graph_reversed(dsnn_graph* graph, dsnn_graph** reversed);
DSNN_C_API dsnn_status dsnn_graph_symmetrised(dsnn_graph* graph, dsnn_graph** symmetrised);

/* ---- Sparse matrices, as operators take them ---- */

typedef struct dsnn_matrix dsnn_matrix;

/*
 * Compressed sparse rows: row i has entries row_offsets[i] .. row_offsets[i + 1] - 1, in any order
 * of columns. row_offsets and columns are DSNN_INT32 or DSNN_INT64; values may be NULL: all are 1.
 */
DSNN_C_API dsnn_status dsnn_matrix_create(int64_t num_columns, const dsnn_array* row_offsets,
                                          const dsnn_array* columns, const dsnn_array* values,
                                          dsnn_matrix** matrix);
DSNN_C_API dsnn_status dsnn_matrix_close(dsnn_matrix* matrix);

/* ---- Operators: functions of tensors with their gradients ---- */

/*
 * docs/operators.md lists them. Tensors are contiguous, in rows. Complex numbers are two real
 * planes in front, [2, ...]. Results have the same bits for any number of threads.
 *
 * Shapes of several tensors are one array of whole numbers: for each tensor its number of axes,
 * then their sizes; -1 for an argument that is left out. [5, 3] and [3] are 2, 5, 3, 1, 3.
 *
 * Sets of arguments or results are bits: argument i is bit 1 << i.
 */
typedef struct dsnn_operator dsnn_operator;

/* All operators: [{"name", "arguments", "attributes", "graph", "matrix"}, ...]. */
DSNN_C_API dsnn_status dsnn_operator_list(char** json);

/*
 * An operator by its name. Its options are attributes, such as {"activation": "tanh"}; graph or
 * matrix are given to operators that take one, and NULL to the others. The operator keeps both for
 * as long as it needs them.
 */
DSNN_C_API dsnn_status dsnn_operator_create(const char* name, const char* attributes,
                                            dsnn_graph* graph, dsnn_matrix* matrix,
                                            dsnn_operator** op);
/* The mean cross-entropy of some nodes: labels [num_labels] and the nodes that count. */
DSNN_C_API dsnn_status dsnn_operator_create_cross_entropy(const dsnn_array* labels,
                                                          const dsnn_array* nodes,
                                                          dsnn_operator** op);
DSNN_C_API dsnn_status dsnn_operator_close(dsnn_operator* op);

/* What can have a gradient: arguments, and results. */
DSNN_C_API dsnn_status dsnn_operator_differentiable(dsnn_operator* op, uint64_t* arguments,
                                                    uint64_t* results);
/* Which arguments and results the way back reads if these gradients are wanted. */
DSNN_C_API dsnn_status dsnn_operator_backward_needs(dsnn_operator* op, uint64_t wanted,
                                                    uint64_t* arguments, uint64_t* results);
/*
 * The shapes of the results. There is room for `capacity` numbers; `length` of them are written,
 * and that many are needed where it fails because there is too little room.
 */
DSNN_C_API dsnn_status dsnn_operator_infer(dsnn_operator* op, int32_t num_arguments,
                                           const int64_t* shapes, int64_t shapes_length,
                                           int64_t capacity, int64_t* result_shapes,
                                           int64_t* length, int32_t* num_results);

/*
 * Results from arguments. type is DSNN_FLOAT32 or DSNN_FLOAT64, of all tensors. At most
 * num_threads threads work, 0: as many as the machine has cores. Dropout is a function of the seed.
 * The pointer of an argument that is left out is NULL.
 */
DSNN_C_API dsnn_status dsnn_operator_forward(dsnn_operator* op, int32_t type, int32_t num_threads,
                                             uint64_t seed, int32_t num_arguments,
                                             const int64_t* shapes, int64_t shapes_length,
                                             const void* const* arguments, int32_t num_results,
                                             void* const* results);
/*
 * Gradients of the arguments from those of the results, written over what was there. Where
 * argument_grads is NULL, none is wanted. Arguments and results that are not needed
 * (dsnn_operator_backward_needs) may be NULL, and so may gradients of results that have none. Seed
 * and shapes are those of the way forward.
 */
DSNN_C_API dsnn_status dsnn_operator_backward(
    dsnn_operator* op, int32_t type, int32_t num_threads, uint64_t seed, int32_t num_arguments,
    const int64_t* shapes, int64_t shapes_length, const void* const* arguments, int32_t num_results,
    const void* const* results, const void* const* result_grads, void* const* argument_grads);

#ifdef __cplusplus
}
#endif

#endif /* DSNN_C_H */
