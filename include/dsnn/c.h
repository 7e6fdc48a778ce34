#ifndef DSNN_C_H
#define DSNN_C_H

/*
 * The C interface of dsnn: for programs in C and for other languages. docs/c.md introduces it.
 *
 * Functions. Every function that can fail returns a dsnn_status. Outputs are its last arguments and
 * are not written if it fails; dsnn_last_error() returns the message. No exception leaves a
 * function.
 *
 * Handles. Graphs, datasets, operators and other objects are handles, each closed by its own
 * function. NULL, a closed handle and a handle of another kind give DSNN_INVALID. An object may be
 * closed while others that were created from it are still in use.
 *
 * Threads. All functions may be called by several threads at the same time, also with one handle.
 *
 * Arrays. The caller owns all arrays. The library reads only as much of them as sizes and shapes
 * say, and keeps no pointer after a call. Functions that write an array take its size, and fail if
 * it is not the size of the result, which other functions return.
 *
 * Text. Structured options and results are JSON. Options are one object; NULL or "" means no
 * options; an unknown name is an error. The caller frees returned text by dsnn_text_free().
 *
 * Versions. Additions raise the lower 16 bits of dsnn_c_api_version(), incompatible changes the
 * upper 16 bits.
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

#define DSNN_C_API_VERSION 0x00010001u

typedef enum dsnn_status {
  DSNN_OK = 0,
  DSNN_INVALID = 1,   /* a handle or pointer that cannot be used */
  DSNN_ERROR = 2,     /* something in arguments, data or files is wrong */
  DSNN_CANCELLED = 3, /* a progress callback cancelled the call */
  DSNN_NO_MEMORY = 4,
  DSNN_INTERNAL = 5 /* a bug in the library */
} dsnn_status;

/* Types of the elements of arrays. */
typedef enum dsnn_type {
  DSNN_FLOAT32 = 1,
  DSNN_FLOAT64 = 2,
  DSNN_INT32 = 3,
  DSNN_INT64 = 4
} dsnn_type;

/* An input array: `size` elements, `stride` bytes from one to the next. */
typedef struct dsnn_array {
  const void* data;
  int32_t type; /* a dsnn_type */
  int64_t size;
  int64_t stride;
} dsnn_array;

/* The library's DSNN_C_API_VERSION; its upper 16 bits must equal those of the header. */
DSNN_C_API uint32_t dsnn_c_api_version(void);
/* The version of dsnn, such as "0.1.0". */
DSNN_C_API const char* dsnn_version(void);
/* The message of this thread's last error, one sentence; valid until the thread's next call. */
DSNN_C_API const char* dsnn_last_error(void);
/* Frees text that a function returned; NULL is allowed. */
DSNN_C_API void dsnn_text_free(char* text);

/* ---- Graphs ---- */

typedef struct dsnn_graph dsnn_graph;

/*
 * Creates a directed graph from its arcs. sources and targets are DSNN_INT32 or DSNN_INT64; weights
 * are DSNN_FLOAT32 or DSNN_FLOAT64; NULL: all weights are 1. num_nodes < 0: the largest node + 1.
 * Self-loops are left out; weights of duplicate arcs are added. Interleaved pairs of DSNN_INT32
 * (targets 4 bytes after sources, stride 8) are read without a copy.
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

/* The arcs, sorted by (source, target): arrays [num_arcs]; weights may be NULL. */
DSNN_C_API dsnn_status dsnn_graph_get_arcs(dsnn_graph* graph, int64_t num_arcs, int32_t* sources,
                                           int32_t* targets, double* weights);
/*
 * The half-edges, sorted by (owner, neighbour): the order of all arrays with an entry for each
 * half-edge. offsets [num_nodes + 1]; the others [num_half_edges]: neighbour, index of the reverse
 * half-edge, orientation (1: only owner -> neighbour exists, -1: only the reverse arc, 0: both) and
 * weight A_uv. Each may be NULL.
 */
DSNN_C_API dsnn_status dsnn_graph_get_half_edges(dsnn_graph* graph, int64_t num_nodes,
                                                 int64_t num_half_edges, int64_t* offsets,
                                                 int32_t* neighbours, int64_t* reverses,
                                                 int8_t* orientations, double* weights);
/* A new graph with all arcs reversed. */
DSNN_C_API dsnn_status dsnn_graph_reversed(dsnn_graph* graph, dsnn_graph** reversed);
/* A new graph with both arcs of each edge. */
DSNN_C_API dsnn_status dsnn_graph_symmetrised(dsnn_graph* graph, dsnn_graph** symmetrised);

/* ---- Sparse matrices, for operators ---- */

typedef struct dsnn_matrix dsnn_matrix;

/*
 * Creates a matrix in compressed sparse rows: row i has the entries row_offsets[i] ..
 * row_offsets[i + 1] - 1, with columns in any order. row_offsets and columns are DSNN_INT32 or
 * DSNN_INT64. values may be NULL: all are 1.
 */
DSNN_C_API dsnn_status dsnn_matrix_create(int64_t num_columns, const dsnn_array* row_offsets,
                                          const dsnn_array* columns, const dsnn_array* values,
                                          dsnn_matrix** matrix);
DSNN_C_API dsnn_status dsnn_matrix_close(dsnn_matrix* matrix);

/* ---- Operators: functions of tensors with their gradients ---- */

/*
 * docs/operators.md lists them. Tensors are contiguous and row-major. A complex tensor is a real
 * one [2, ...], real parts before imaginary parts. Results have the same bits for any number of
 * threads.
 *
 * Shapes of several tensors are one array of integers: for each tensor the number of axes, then
 * their sizes; -1 for an omitted argument. The shapes [5, 3] and [3] are 2, 5, 3, 1, 3.
 *
 * Sets of arguments or results are bit masks: argument i is bit 1 << i.
 */
typedef struct dsnn_operator dsnn_operator;

/* All operators: [{"name", "arguments", "attributes", "graph", "matrix"}, ...]. */
DSNN_C_API dsnn_status dsnn_operator_list(char** json);

/*
 * Creates an operator by its name. Its options are attributes, such as {"activation": "tanh"}.
 * graph and matrix are NULL for operators that take none. Both may be closed while the operator is
 * in use.
 */
DSNN_C_API dsnn_status dsnn_operator_create(const char* name, const char* attributes,
                                            dsnn_graph* graph, dsnn_matrix* matrix,
                                            dsnn_operator** op);
/* Creates the mean cross-entropy over `nodes`, which index `labels`. */
DSNN_C_API dsnn_status dsnn_operator_create_cross_entropy(const dsnn_array* labels,
                                                          const dsnn_array* nodes,
                                                          dsnn_operator** op);
DSNN_C_API dsnn_status dsnn_operator_close(dsnn_operator* op);

/* The arguments and results that can have a gradient. */
DSNN_C_API dsnn_status dsnn_operator_differentiable(dsnn_operator* op, uint64_t* arguments,
                                                    uint64_t* results);
/* The arguments and results that the backward pass reads to compute the wanted gradients. */
DSNN_C_API dsnn_status dsnn_operator_backward_needs(dsnn_operator* op, uint64_t wanted,
                                                    uint64_t* arguments, uint64_t* results);
/*
 * The shapes of the results. result_shapes has room for `capacity` integers; `length` becomes how
 * many were written, or, if capacity is too small and the call fails, how many are needed.
 */
DSNN_C_API dsnn_status dsnn_operator_infer(dsnn_operator* op, int32_t num_arguments,
                                           const int64_t* shapes, int64_t shapes_length,
                                           int64_t capacity, int64_t* result_shapes,
                                           int64_t* length, int32_t* num_results);

/*
 * Computes results from arguments. type is that of all tensors, DSNN_FLOAT32 or DSNN_FLOAT64.
 * num_threads is the largest number of threads; 0: as many as the machine has cores. Dropout
 * depends on the seed alone. The pointer of an omitted argument is NULL.
 */
DSNN_C_API dsnn_status dsnn_operator_forward(dsnn_operator* op, int32_t type, int32_t num_threads,
                                             uint64_t seed, int32_t num_arguments,
                                             const int64_t* shapes, int64_t shapes_length,
                                             const void* const* arguments, int32_t num_results,
                                             void* const* results);
/*
 * Computes gradients of the arguments from those of the results; argument_grads are overwritten,
 * not added to. A gradient whose pointer in argument_grads is NULL is not computed. Arguments and
 * results that are not needed (dsnn_operator_backward_needs) may be NULL, as may gradients of
 * results that have none. Seed and shapes are those of the forward pass.
 */
DSNN_C_API dsnn_status dsnn_operator_backward(
    dsnn_operator* op, int32_t type, int32_t num_threads, uint64_t seed, int32_t num_arguments,
    const int64_t* shapes, int64_t shapes_length, const void* const* arguments, int32_t num_results,
    const void* const* results, const void* const* result_grads, void* const* argument_grads);

/* ---- Progress ---- */

/*
 * Called with the progress of a long call at most ten times a second, from any thread but by one at
 * a time. The message is a JSON object, valid until the callback returns:
 *   {"stage", "done", "total"}                              reading, writing, Lanczos, ...
 *   {"split", "epoch", "epochs", "train_loss", "val_accuracy", "best_val_accuracy", "seconds",
 *    "is_finished"}                                         training; "name" where a report trains
 *   {"trials", "best_model", "best_val_accuracy", "seconds", "is_final"}   dsnn_fit
 * A result other than 0 cancels this call and no other: it writes checkpoints and returns
 * DSNN_CANCELLED. Every function that takes a callback accepts NULL.
 */
typedef int32_t (*dsnn_progress)(void* user_data, const char* message);

/* ---- Datasets: a graph with features, labels and splits of its nodes ---- */

typedef struct dsnn_dataset dsnn_dataset;

/* Creates a dataset with a graph only; the functions below set features, labels and splits. */
DSNN_C_API dsnn_status dsnn_dataset_create(const char* name, dsnn_graph* graph,
                                           dsnn_dataset** dataset);
/*
 * Loads a dataset from a file or folder, or by the name of a published one. Options: "data_dir",
 * "num_nodes".
 */
DSNN_C_API dsnn_status dsnn_dataset_load(const char* what, const char* options,
                                         dsnn_progress progress, void* user_data,
                                         dsnn_dataset** dataset);
/*
 * Reads CSV files. Options, named as those of the program: "edges", "nodes", "source_column",
 * "target_column", "weight_column", "edge_split_columns", "id_column", "label_column",
 * "split_columns", "drop_columns", "categorical_columns", "missing_label", "unknown_nodes" (error,
 * add, drop), "heading" (auto, yes, no).
 */
DSNN_C_API dsnn_status dsnn_dataset_read_csv(const char* options, dsnn_progress progress,
                                             void* user_data, dsnn_dataset** dataset);
/*
 * Draws a random graph of the directed stochastic block model. Options: "nodes", "communities",
 * "alpha_in", "alpha_out", "beta", "seed".
 */
DSNN_C_API dsnn_status dsnn_dataset_dsbm(const char* options, dsnn_dataset** dataset);
/* Writes the dataset as .npz. */
DSNN_C_API dsnn_status dsnn_dataset_save(dsnn_dataset* dataset, const char* path,
                                         dsnn_progress progress, void* user_data);
DSNN_C_API dsnn_status dsnn_dataset_close(dsnn_dataset* dataset);

/* Sizes, names, notes of the reader, problems of the splits, statistics of the graph. */
DSNN_C_API dsnn_status dsnn_dataset_describe(dsnn_dataset* dataset, char** json);
DSNN_C_API dsnn_status dsnn_dataset_get_graph(dsnn_dataset* dataset, dsnn_graph** graph);

typedef struct dsnn_dataset_sizes {
  int64_t num_nodes, num_classes, num_splits;
  int64_t num_labels;   /* num_nodes, or 0 */
  int64_t num_features; /* columns */
  int64_t num_entries;  /* of features: rows times columns; of sparse ones, the stored entries */
  int32_t has_sparse_features;
} dsnn_dataset_sizes;
DSNN_C_API dsnn_status dsnn_dataset_get_sizes(dsnn_dataset* dataset, dsnn_dataset_sizes* sizes);

/* Dense features [num_nodes, num_columns], row-major; num_columns 0: no features. */
DSNN_C_API dsnn_status dsnn_dataset_set_features(dsnn_dataset* dataset, int64_t num_columns,
                                                 const dsnn_array* values);
/* Sparse features in compressed sparse rows; columns ascend within a row. */
DSNN_C_API dsnn_status dsnn_dataset_set_sparse_features(dsnn_dataset* dataset, int64_t num_columns,
                                                        const dsnn_array* row_offsets,
                                                        const dsnn_array* columns,
                                                        const dsnn_array* values);
/* Replaces the features by degrees of the graph; kind is "degrees" or "degree-buckets". */
DSNN_C_API dsnn_status dsnn_dataset_set_degree_features(dsnn_dataset* dataset, const char* kind);
/*
 * values [num_entries]; for sparse features also row_offsets [num_nodes + 1] and columns
 * [num_entries].
 */
DSNN_C_API dsnn_status dsnn_dataset_get_features(dsnn_dataset* dataset, int64_t num_entries,
                                                 float* values, int64_t* row_offsets,
                                                 int32_t* columns);
/* Labels 0 .. num_classes - 1; negative: unknown. num_classes < 0: the largest label + 1. */
DSNN_C_API dsnn_status dsnn_dataset_set_labels(dsnn_dataset* dataset, int64_t num_classes,
                                               const dsnn_array* labels);
DSNN_C_API dsnn_status dsnn_dataset_get_labels(dsnn_dataset* dataset, int64_t num_labels,
                                               int64_t* labels);
/* Adds a split. Masks [num_nodes]: a node belongs to a part if its byte is not 0. */
DSNN_C_API dsnn_status dsnn_dataset_add_split(dsnn_dataset* dataset, int64_t num_nodes,
                                              const uint8_t* train, const uint8_t* validation,
                                              const uint8_t* test);
DSNN_C_API dsnn_status dsnn_dataset_clear_splits(dsnn_dataset* dataset);
DSNN_C_API dsnn_status dsnn_dataset_get_split(dsnn_dataset* dataset, int64_t split,
                                              int64_t num_nodes, uint8_t* train,
                                              uint8_t* validation, uint8_t* test);
/*
 * Replaces the splits by random ones. Options: "train" and "validation", fractions of each class,
 * or "per_class": [train, validation], numbers of nodes; "count" (10), "seed" (0).
 */
DSNN_C_API dsnn_status dsnn_dataset_draw_splits(dsnn_dataset* dataset, const char* options);
/* Sets names: {"name", "node_ids", "label_names", "feature_names"}; omitted ones do not change. */
DSNN_C_API dsnn_status dsnn_dataset_set_names(dsnn_dataset* dataset, const char* names);

/*
 * Reads a published dataset from its original files, which the caller has downloaded to a folder
 * under the names in dsnn_dataset_list(); archives must be unpacked into the same folder.
 */
DSNN_C_API dsnn_status dsnn_dataset_from_originals(const char* name, const char* folder,
                                                   dsnn_progress progress, void* user_data,
                                                   dsnn_dataset** dataset);
/* Lists the published datasets and where their files are. Options: "data_dir". */
DSNN_C_API dsnn_status dsnn_dataset_list(const char* options, char** json);

/* ---- Models and training ---- */

/* All models with their parameters. */
DSNN_C_API dsnn_status dsnn_model_list(char** json);

/*
 * Trains a model on the splits of a dataset. Returns the content of the run's result.json with
 * additional "warnings". Options: "model", "task" ("nodes" or "links"), "parameters" (an object, of
 * the model, the task and the training), "config" (a TOML file with defaults), "splits" (numbers;
 * default: all), "seed", "jobs", "threads", "device" ("cpu", "cuda", "cuda:N" or
 * "auto"), "folder" (without it nothing is saved), "resume", "checkpoint_seconds", "members"
 * (networks whose probabilities are averaged).
 */
DSNN_C_API dsnn_status dsnn_train(dsnn_dataset* dataset, const char* options,
                                  dsnn_progress progress, void* user_data, char** result);
/*
 * Estimates a training with these options: weights, memory, programs, and the time of an epoch,
 * measured by training for `seconds`.
 */
DSNN_C_API dsnn_status dsnn_train_estimate(dsnn_dataset* dataset, const char* options,
                                           double seconds, char** json);
/*
 * Searches for networks for a dataset and saves them in a folder, a run folder. Options:
 * "task" ("nodes"), "folder", "seconds" (120) or "trials", "members" (5), "split" (0), "seed",
 * "parameters", "resume".
 */
DSNN_C_API dsnn_status dsnn_fit(dsnn_dataset* dataset, const char* options, dsnn_progress progress,
                                void* user_data, char** result);

/* ---- Runs: trained models in a folder ---- */

typedef struct dsnn_run dsnn_run;

/* Opens a run folder of dsnn_train (one or several members) or dsnn_fit. */
DSNN_C_API dsnn_status dsnn_run_open(const char* folder, dsnn_run** run);
/* The same; its models run on this device: "cpu", "cuda", "cuda:N" or "auto". Since 1.1. */
DSNN_C_API dsnn_status dsnn_run_open_on(const char* folder, const char* device, dsnn_run** run);
DSNN_C_API dsnn_status dsnn_run_close(dsnn_run* run);
/* Model, parameters, classes, splits with their files, and members. */
DSNN_C_API dsnn_status dsnn_run_describe(dsnn_run* run, char** json);
/*
 * The logits [num_nodes, num_classes] of a split's model on a dataset; with several members, the
 * logarithms of the averaged probabilities. split < 0: the split with the best validation score.
 */
DSNN_C_API dsnn_status dsnn_run_get_logits(dsnn_run* run, int32_t split, dsnn_dataset* dataset,
                                           int64_t num_nodes, int64_t num_classes, float* logits);
/* The scores of each split's model on the test nodes, or pairs, of a dataset. */
DSNN_C_API dsnn_status dsnn_run_evaluate(dsnn_run* run, dsnn_dataset* dataset, char** json);
/*
 * Of a run of links: the probabilities [num_pairs, num_classes] of pairs [num_pairs, 2] of nodes,
 * with all arcs of the dataset as messages. split < 0: the split with the best validation score.
 */
DSNN_C_API dsnn_status dsnn_run_get_links(dsnn_run* run, int32_t split, dsnn_dataset* dataset,
                                          int64_t num_pairs, const int64_t* pairs,
                                          int64_t num_classes, double* probabilities);
/*
 * Of a run of links: the `count` most probable new arcs from each node, as {"sources", "targets",
 * "probabilities"}.
 */
DSNN_C_API dsnn_status dsnn_run_top_links(dsnn_run* run, int32_t split, dsnn_dataset* dataset,
                                          int64_t count, char** json);
/*
 * The report of a run, an HTML page. Options: "compares" (true: also trains the models that the run
 * is compared with), "jobs", "threads".
 */
DSNN_C_API dsnn_status dsnn_run_report(dsnn_run* run, dsnn_dataset* dataset, const char* options,
                                       dsnn_progress progress, void* user_data, char** html);

/* ---- Laplacians and their spectra ---- */

/*
 * A complex matrix in block compressed sparse rows. A complex number in an array is two doubles,
 * real part and imaginary part.
 */
typedef struct dsnn_blocks dsnn_blocks;

/*
 * Computes the Laplacian of a sheaf on a graph. Options: "sheaf" (trivial, magnetic,
 * sign-magnetic), "charge" (0.25; 0 for complex maps), "normalisation" (none, exact, augmented,
 * degree), "low_pass", "high_pass". Instead of "sheaf", restriction maps: maps_real [2m, d]
 * (diagonal) or [2m, d, d] in half-edge order, with "stalk_dim" d and "family" (diagonal,
 * orthogonal, general), and maps_imag if they are complex. Both may be NULL.
 */
DSNN_C_API dsnn_status dsnn_laplacian(dsnn_graph* graph, const char* options,
                                      const dsnn_array* maps_real, const dsnn_array* maps_imag,
                                      dsnn_blocks** blocks);
DSNN_C_API dsnn_status dsnn_blocks_close(dsnn_blocks* blocks);
/* The numbers of block rows, block columns and stored blocks; a block is block_dim x block_dim. */
DSNN_C_API dsnn_status dsnn_blocks_get_sizes(dsnn_blocks* blocks, int64_t* num_rows,
                                             int64_t* num_columns, int64_t* num_blocks,
                                             int32_t* block_dim);
/*
 * row_offsets [num_rows + 1], columns [num_blocks], values [num_blocks, block_dim, block_dim],
 * complex.
 */
DSNN_C_API dsnn_status dsnn_blocks_get(dsnn_blocks* blocks, int64_t num_rows, int64_t num_blocks,
                                       int64_t* row_offsets, int32_t* columns, double* values);

typedef struct dsnn_spectrum dsnn_spectrum;

/*
 * Computes eigenvalues at one end of the spectrum of a Laplacian, given as for dsnn_laplacian.
 * Further options: "which" (smallest, largest), "count" (6), "tolerance" (1e-10).
 */
DSNN_C_API dsnn_status dsnn_spectrum_compute(dsnn_graph* graph, const char* options,
                                             const dsnn_array* maps_real,
                                             const dsnn_array* maps_imag, dsnn_progress progress,
                                             void* user_data, dsnn_spectrum** spectrum);
DSNN_C_API dsnn_status dsnn_spectrum_close(dsnn_spectrum* spectrum);
/* The number of eigenpairs and the length of an eigenvector. */
DSNN_C_API dsnn_status dsnn_spectrum_get_sizes(dsnn_spectrum* spectrum, int64_t* count,
                                               int64_t* size);
/*
 * values [count], the extreme one first, vectors [count, size], complex, and residuals [count].
 * Each may be NULL.
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
