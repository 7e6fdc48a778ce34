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

/* ---- Progress ---- */

/*
 * Told where a long call stands, at most ten times a second, by any thread but one at a time. The
 * message is a JSON object that is good until the function returns:
 *   {"stage", "done", "total"}                              reading, writing, Lanczos, ...
 *   {"split", "epoch", "epochs", "train_loss", "val_accuracy", "best_val_accuracy", "seconds",
 *    "is_finished"}                                         training; "name" where a report trains
 *   {"trials", "best_model", "best_val_accuracy", "seconds", "is_final"}   dsnn_fit
 * A result that is not 0 cancels the call, and no other: checkpoints are written, and it returns
 * DSNN_CANCELLED. Everywhere a function takes one, NULL is fine.
 */
typedef int32_t (*dsnn_progress)(void* user_data, const char* message);

/* ---- Datasets: a graph with what is known about its nodes ---- */

typedef struct dsnn_dataset dsnn_dataset;

/* Of a graph alone; the functions below add to it. */
DSNN_C_API dsnn_status dsnn_dataset_create(const char* name, dsnn_graph* graph,
                                           dsnn_dataset** dataset);
/*
 * From a file or folder, or by the name of a published dataset. Options: "data_dir", "num_nodes".
 */
DSNN_C_API dsnn_status dsnn_dataset_load(const char* what, const char* options,
                                         dsnn_progress progress, void* user_data,
                                         dsnn_dataset** dataset);
/*
 * From CSV. Options, named as those of the program: "edges", "nodes", "source_column",
 * "target_column", "weight_column", "id_column", "label_column", "split_columns", "drop_columns",
 * "categorical_columns", "missing_label", "unknown_nodes" (error, add, drop), "heading" (auto, yes,
 * no).
 */
DSNN_C_API dsnn_status dsnn_dataset_read_csv(const char* options, dsnn_progress progress,
                                             void* user_data, dsnn_dataset** dataset);
/*
 * A random graph of the directed stochastic block model. Options: "nodes", "communities",
 * "alpha_in", "alpha_out", "beta", "seed".
 */
DSNN_C_API dsnn_status dsnn_dataset_dsbm(const char* options, dsnn_dataset** dataset);
/* Writes it as .npz. */
DSNN_C_API dsnn_status dsnn_dataset_save(dsnn_dataset* dataset, const char* path,
                                         dsnn_progress progress, void* user_data);
DSNN_C_API dsnn_status dsnn_dataset_close(dsnn_dataset* dataset);

/* Sizes, names, notes of the reader, what is wrong with the splits, statistics of the graph. */
DSNN_C_API dsnn_status dsnn_dataset_describe(dsnn_dataset* dataset, char** json);
DSNN_C_API dsnn_status dsnn_dataset_get_graph(dsnn_dataset* dataset, dsnn_graph** graph);

typedef struct dsnn_dataset_sizes {
  int64_t num_nodes, num_classes, num_splits;
  int64_t num_labels;   /* num_nodes, or 0 */
  int64_t num_features; /* columns */
  int64_t num_entries;  /* of features: rows times columns, or of sparse ones those that are held */
  int32_t has_sparse_features;
} dsnn_dataset_sizes;
DSNN_C_API dsnn_status dsnn_dataset_get_sizes(dsnn_dataset* dataset, dsnn_dataset_sizes* sizes);

/* A dense matrix, row by row: [num_nodes, num_columns]; none with num_columns 0. */
DSNN_C_API dsnn_status dsnn_dataset_set_features(dsnn_dataset* dataset, int64_t num_columns,
                                                 const dsnn_array* values);
/* Compressed sparse rows; columns ascend within a row. */
DSNN_C_API dsnn_status dsnn_dataset_set_sparse_features(dsnn_dataset* dataset, int64_t num_columns,
                                                        const dsnn_array* row_offsets,
                                                        const dsnn_array* columns,
                                                        const dsnn_array* values);
/* "degrees" or "degree-buckets": features from the graph, in place of those that are there. */
DSNN_C_API dsnn_status dsnn_dataset_set_degree_features(dsnn_dataset* dataset, const char* kind);
/* values [num_entries]; of sparse features also row_offsets [num_nodes + 1] and columns. */
DSNN_C_API dsnn_status dsnn_dataset_get_features(dsnn_dataset* dataset, int64_t num_entries,
                                                 float* values, int64_t* row_offsets,
                                                 int32_t* columns);
/* Classes 0 .. num_classes - 1, negative: not known. num_classes < 0: the largest label + 1. */
DSNN_C_API dsnn_status dsnn_dataset_set_labels(dsnn_dataset* dataset, int64_t num_classes,
                                               const dsnn_array* labels);
DSNN_C_API dsnn_status dsnn_dataset_get_labels(dsnn_dataset* dataset, int64_t num_labels,
                                               int64_t* labels);
/* One byte a node, 0 or not. */
DSNN_C_API dsnn_status dsnn_dataset_add_split(dsnn_dataset* dataset, int64_t num_nodes,
                                              const uint8_t* train, const uint8_t* validation,
                                              const uint8_t* test);
DSNN_C_API dsnn_status dsnn_dataset_clear_splits(dsnn_dataset* dataset);
DSNN_C_API dsnn_status dsnn_dataset_get_split(dsnn_dataset* dataset, int64_t split,
                                              int64_t num_nodes, uint8_t* train,
                                              uint8_t* validation, uint8_t* test);
/*
 * Draws splits in place of those that are there. Options: "train" and "validation", shares of each
 * class, or "per_class": [train, validation], numbers of nodes; "count" (10), "seed" (0).
 */
DSNN_C_API dsnn_status dsnn_dataset_draw_splits(dsnn_dataset* dataset, const char* options);
/* {"name", "node_ids", "label_names", "feature_names"}: those that are given are replaced. */
DSNN_C_API dsnn_status dsnn_dataset_set_names(dsnn_dataset* dataset, const char* names);

/*
 * A published dataset from its originals, which the caller has downloaded into a folder under the
 * names that dsnn_dataset_list() gives; what archives hold lies beside them.
 */
DSNN_C_API dsnn_status dsnn_dataset_from_originals(const char* name, const char* folder,
                                                   dsnn_progress progress, void* user_data,
                                                   dsnn_dataset** dataset);
/* The published datasets that the library knows, and where they are. Options: "data_dir". */
DSNN_C_API dsnn_status dsnn_dataset_list(const char* options, char** json);

/* ---- Models and training ---- */

/* All models with their parameters. */
DSNN_C_API dsnn_status dsnn_model_list(char** json);

/*
 * Trains a model on the splits of a dataset, and returns what result.json of a run has, with
 * "warnings" besides. Options: "model", "parameters" (an object), "config" (a TOML file to start
 * from), "splits" (numbers; default: all), "seed", "jobs", "threads", "folder" (without one nothing
 * is kept), "resume", "checkpoint_seconds", "members" (networks whose probabilities are averaged).
 */
DSNN_C_API dsnn_status dsnn_train(dsnn_dataset* dataset, const char* options,
                                  dsnn_progress progress, void* user_data, char** result);
/*
 * What a training with these options would be: weights, memory, programs, and the time, from so
 * many seconds of epochs.
 */
DSNN_C_API dsnn_status dsnn_train_estimate(dsnn_dataset* dataset, const char* options,
                                           double seconds, char** json);
/*
 * Finds networks for a dataset and keeps them in a folder, to be opened as a run. Options:
 * "folder", "seconds" (120) or "trials", "members" (5), "split" (0), "seed", "parameters",
 * "resume".
 */
DSNN_C_API dsnn_status dsnn_fit(dsnn_dataset* dataset, const char* options, dsnn_progress progress,
                                void* user_data, char** result);

/* ---- Runs: trained models in a folder ---- */

typedef struct dsnn_run dsnn_run;

/* A folder of dsnn_train, with one member or several, or of dsnn_fit. */
DSNN_C_API dsnn_status dsnn_run_open(const char* folder, dsnn_run** run);
DSNN_C_API dsnn_status dsnn_run_close(dsnn_run* run);
/* Model, parameters, classes, splits with their files, members. */
DSNN_C_API dsnn_status dsnn_run_describe(dsnn_run* run, char** json);
/*
 * The logits [num_nodes, num_classes] of a split's model on a dataset; of several members the
 * logarithms of the averaged probabilities. split < 0: the one with the best validation score.
 */
DSNN_C_API dsnn_status dsnn_run_get_logits(dsnn_run* run, int32_t split, dsnn_dataset* dataset,
                                           int64_t num_nodes, int64_t num_classes, float* logits);
/* Scores on the test nodes of a dataset, for each split. */
DSNN_C_API dsnn_status dsnn_run_evaluate(dsnn_run* run, dsnn_dataset* dataset, char** json);
/*
 * A page about a run, as HTML. Options: "compares" (true: trains what the model is compared with),
 * "jobs", "threads".
 */
DSNN_C_API dsnn_status dsnn_run_report(dsnn_run* run, dsnn_dataset* dataset, const char* options,
                                       dsnn_progress progress, void* user_data, char** html);

/* ---- Laplacians and their spectra ---- */

/*
 * A complex matrix in compressed sparse rows of blocks. Complex numbers in arrays are two doubles,
 * real part and imaginary part.
 */
typedef struct dsnn_blocks dsnn_blocks;

/*
 * The Laplacian of a sheaf on a graph. Options: "sheaf" (trivial, magnetic, sign-magnetic),
 * "charge" (0.25; 0 for complex maps), "normalisation" (none, exact, augmented, degree),
 * "low_pass", "high_pass". Instead of "sheaf", restriction maps: maps_real [2m, d] (diagonal) or
 * [2m, d, d] in half-edge order, with "stalk_dim" d and "family" (diagonal, orthogonal, general);
 * maps_imag for complex ones. Both may be NULL.
 */
DSNN_C_API dsnn_status dsnn_laplacian(dsnn_graph* graph, const char* options,
                                      const dsnn_array* maps_real, const dsnn_array* maps_imag,
                                      dsnn_blocks** blocks);
DSNN_C_API dsnn_status dsnn_blocks_close(dsnn_blocks* blocks);
/* Rows and columns of blocks, which are block_dim x block_dim. */
DSNN_C_API dsnn_status dsnn_blocks_get_sizes(dsnn_blocks* blocks, int64_t* num_rows,
                                             int64_t* num_columns, int64_t* num_blocks,
                                             int32_t* block_dim);
/* row_offsets [num_rows + 1], columns [num_blocks], values [num_blocks, d, d] complex. */
DSNN_C_API dsnn_status dsnn_blocks_get(dsnn_blocks* blocks, int64_t num_rows, int64_t num_blocks,
                                       int64_t* row_offsets, int32_t* columns, double* values);

typedef struct dsnn_spectrum dsnn_spectrum;

/*
 * Eigenvalues at an end of that Laplacian's spectrum. Further options: "which" (smallest, largest),
 * "count" (6), "tolerance" (1e-10).
 */
DSNN_C_API dsnn_status dsnn_spectrum_compute(dsnn_graph* graph, const char* options,
                                             const dsnn_array* maps_real,
                                             const dsnn_array* maps_imag, dsnn_progress progress,
                                             void* user_data, dsnn_spectrum** spectrum);
DSNN_C_API dsnn_status dsnn_spectrum_close(dsnn_spectrum* spectrum);
/* How many pairs there are, and how long a vector is. */
DSNN_C_API dsnn_status dsnn_spectrum_get_sizes(dsnn_spectrum* spectrum, int64_t* count,
                                               int64_t* size);
/*
 * values [count] from the end inwards, vectors [count, size] complex, residuals [count]; any may be
 * NULL.
 */
DSNN_C_API dsnn_status dsnn_spectrum_get(dsnn_spectrum* spectrum, int64_t count, int64_t size,
                                         double* values, double* vectors, double* residuals);

/*
 * Checks the theorems about the Laplacian on a graph. Options: "stalk_dim" (3), "trials" (9),
 * "seed". Returns {"passed", "claims": [{"label", "statement", "deviation", "tolerance",
 * "passed"}]}.
 */
DSNN_C_API dsnn_status dsnn_verify(dsnn_graph* graph, const char* options, dsnn_progress progress,
                                   void* user_data, char** json);

#ifdef __cplusplus
}
#endif

#endif /* DSNN_C_H */
