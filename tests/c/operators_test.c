/* Operators through the C interface, in plain C: results and gradients against numbers by hand, and
 * what becomes of mistakes. */
#include "check.h"

#include <math.h>
#include <string.h>

#include <dsnn/c.h>

static dsnn_graph* ring(int n) {
  int32_t arcs[64];
  dsnn_array sources = {arcs, DSNN_INT32, 0, 8}, targets = {arcs + 1, DSNN_INT32, 0, 8};
  dsnn_graph* graph = NULL;
  for (int u = 0; u < n; ++u) {
    arcs[2 * u] = u;
    arcs[2 * u + 1] = (u + 1) % n;
  }
  sources.size = targets.size = n;
  CHECK_OK(dsnn_graph_create(-1, &sources, &targets, NULL, &graph));
  return graph;
}

static void test_graph(void) {
  dsnn_graph* graph = ring(5);
  dsnn_graph* reversed = NULL;
  dsnn_graph_sizes sizes;
  int32_t from[5], to[5];
  int64_t offsets[6], reverses[10];
  int8_t orientations[10];
  CHECK_OK(dsnn_graph_get_sizes(graph, &sizes));
  CHECK(sizes.num_nodes == 5 && sizes.num_arcs == 5 && sizes.num_half_edges == 10);
  CHECK_OK(dsnn_graph_reversed(graph, &reversed));
  CHECK_OK(dsnn_graph_get_arcs(reversed, 5, from, to, NULL));
  CHECK(from[0] == 0 && to[0] == 4);
  CHECK_OK(dsnn_graph_get_half_edges(graph, 5, 10, offsets, NULL, reverses, orientations, NULL));
  CHECK(offsets[5] == 10);
  for (int h = 0; h < 10; ++h) {
    CHECK(reverses[reverses[h]] == h && orientations[reverses[h]] == -orientations[h]);
  }
  CHECK_ERROR(dsnn_graph_get_arcs(graph, 4, from, to, NULL), DSNN_ERROR,
              "arcs: there is room for 4, expected 5");
  CHECK_OK(dsnn_graph_close(graph));
  CHECK_OK(dsnn_graph_close(reversed));
  CHECK_ERROR(dsnn_graph_close(graph), DSNN_INVALID, "the graph is closed or not a valid handle");
  CHECK_ERROR(dsnn_graph_get_sizes(graph, &sizes), DSNN_INVALID,
              "the graph is closed or not a valid handle");
  CHECK_ERROR(dsnn_graph_get_sizes(NULL, &sizes), DSNN_INVALID, "the graph is NULL");
}

/* Arcs of 64-bit numbers, with weights that lie apart, and nodes that are not there. */
static void test_graph_from_other_arrays(void) {
  const int64_t from[3] = {0, 1, 2}, to[3] = {1, 2, 0};
  const float weights[6] = {1, 0, 2, 0, -3, 0};
  dsnn_array sources = {from, DSNN_INT64, 3, 8}, targets = {to, DSNN_INT64, 3, 8};
  dsnn_array values = {weights, DSNN_FLOAT32, 3, 8};
  dsnn_graph* graph = NULL;
  int32_t a[3], b[3];
  double w[3];
  CHECK_OK(dsnn_graph_create(-1, &sources, &targets, &values, &graph));
  CHECK_OK(dsnn_graph_get_arcs(graph, 3, a, b, w));
  CHECK(a[2] == 2 && b[2] == 0 && w[0] == 1 && w[1] == 2 && w[2] == -3);
  CHECK_OK(dsnn_graph_close(graph));
  CHECK_ERROR(dsnn_graph_create(2, &sources, &targets, NULL, &graph), DSNN_ERROR,
              "graph: arc 1 has node 2, expected 0 to 1 (2 nodes)");
  values.size = 2;
  CHECK_ERROR(dsnn_graph_create(-1, &sources, &targets, &values, &graph), DSNN_ERROR,
              "weights: there are 2, expected 3, one for each arc");
  sources.type = 9;
  CHECK_ERROR(dsnn_graph_create(-1, &sources, &targets, NULL, &graph), DSNN_INVALID,
              "sources has the unknown type 9");
}

/* x W + b for x [2, 3], W [3, 2], b [2]. */
static void test_linear(void) {
  dsnn_operator* op = NULL;
  const double x[6] = {1, 2, 3, 4, 5, 6}, weight[6] = {1, 0, 0, 1, 1, 1}, bias[2] = {10, 20};
  double y[4], grad_weight[6], grad_bias[2];
  const double grad[4] = {1, 0, 0, 1};
  const int64_t shapes[] = {2, 2, 3, 2, 3, 2, 1, 2};
  int64_t result_shapes[8], length = 0;
  int32_t num_results = 0;
  uint64_t arguments = 0, results = 0;
  const void *in[3], *grads[1], *outputs[1] = {NULL};
  void *out[1], *in_grads[3] = {NULL, grad_weight, grad_bias};
  in[0] = x, in[1] = weight, in[2] = bias, out[0] = y, grads[0] = grad;
  CHECK_OK(dsnn_operator_create("linear", NULL, NULL, NULL, &op));
  CHECK_OK(dsnn_operator_infer(op, 3, shapes, 8, 8, result_shapes, &length, &num_results));
  CHECK(length == 3 && num_results == 1);
  CHECK(result_shapes[0] == 2 && result_shapes[1] == 2 && result_shapes[2] == 2);
  CHECK_OK(dsnn_operator_forward(op, DSNN_FLOAT64, 2, 0, 3, shapes, 8, in, 1, out));
  CHECK(y[0] == 14 && y[1] == 25 && y[2] == 20 && y[3] == 31);
  CHECK_OK(dsnn_operator_backward_needs(op, 6, &arguments, &results));
  CHECK((arguments & 1) != 0);
  CHECK_OK(dsnn_operator_backward(op, DSNN_FLOAT64, 1, 0, 3, shapes, 8, in, 1, outputs, grads,
                                  in_grads));
  CHECK(grad_weight[0] == 1 && grad_weight[1] == 4 && grad_weight[4] == 3 && grad_weight[5] == 6);
  CHECK(grad_bias[0] == 1 && grad_bias[1] == 1);

  CHECK_ERROR(dsnn_operator_forward(op, DSNN_INT64, 1, 0, 3, shapes, 8, in, 1, out), DSNN_ERROR,
              "type is 4, expected DSNN_FLOAT32 or DSNN_FLOAT64");
  CHECK_ERROR(dsnn_operator_forward(op, DSNN_FLOAT64, 1, 0, 2, shapes, 8, in, 1, out), DSNN_ERROR,
              "linear: the shapes have 2 values too many");
  CHECK_ERROR(dsnn_operator_forward(op, DSNN_FLOAT64, 1, 0, 3, shapes, 7, in, 1, out), DSNN_ERROR,
              "linear: the shapes end within argument 2, or its number of axes is not -1 to 8");
  CHECK_ERROR(dsnn_operator_forward(op, DSNN_FLOAT64, 1, 0, 4, shapes, 8, in, 1, out), DSNN_ERROR,
              "linear: there are 4 arguments, expected at most 3");
  CHECK_ERROR(dsnn_operator_forward(op, DSNN_FLOAT64, 1, 0, 3, shapes, 8, in, 2, out), DSNN_ERROR,
              "results: there is room for 2, expected 1");
  in[1] = NULL;
  CHECK_ERROR(dsnn_operator_forward(op, DSNN_FLOAT64, 1, 0, 3, shapes, 8, in, 1, out), DSNN_INVALID,
              "the pointer to argument 1 is NULL");
  CHECK_ERROR(dsnn_operator_infer(op, 3, shapes, 8, 2, result_shapes, &length, &num_results),
              DSNN_INVALID, "result_shapes has room for 2, expected 3");
  CHECK_OK(dsnn_operator_close(op));
  CHECK_ERROR(dsnn_operator_forward(op, DSNN_FLOAT64, 1, 0, 3, shapes, 8, in, 1, out), DSNN_INVALID,
              "the operator is closed or not a valid handle");
}

static void test_spmm(void) {
  const int32_t offsets[3] = {0, 2, 3}, columns[3] = {0, 2, 1};
  const float values[3] = {1, 2, 3};
  const float x[3] = {1, 10, 100};
  float y[2];
  const dsnn_array rows = {offsets, DSNN_INT32, 3, 4}, cols = {columns, DSNN_INT32, 3, 4},
                   numbers = {values, DSNN_FLOAT32, 3, 4};
  const int64_t shapes[] = {-1, 2, 3, 1};
  const void* in[2] = {NULL, NULL};
  void* out[1];
  dsnn_matrix* matrix = NULL;
  dsnn_operator* op = NULL;
  in[1] = x, out[0] = y;
  CHECK_OK(dsnn_matrix_create(3, &rows, &cols, &numbers, &matrix));
  CHECK_OK(dsnn_operator_create("spmm", "{}", NULL, matrix, &op));
  CHECK_OK(dsnn_matrix_close(matrix)); /* the operator keeps it */
  CHECK_OK(dsnn_operator_forward(op, DSNN_FLOAT32, 0, 0, 2, shapes, 4, in, 1, out));
  CHECK(y[0] == 201 && y[1] == 30);
  CHECK_OK(dsnn_operator_close(op));
}

static void test_attributes(void) {
  dsnn_graph* graph = ring(4);
  dsnn_operator* op = NULL;
  char* list = NULL;
  CHECK_OK(dsnn_operator_create("sheaf_maps", "{\"activation\": \"elu\"}", graph, NULL, &op));
  CHECK_OK(dsnn_operator_close(op));
  CHECK_ERROR(dsnn_operator_create("sheaf_map", NULL, graph, NULL, &op), DSNN_ERROR,
              "there is no operator 'sheaf_map'; did you mean 'sheaf_maps'?");
  CHECK_ERROR(dsnn_operator_create("sheaf_maps", NULL, NULL, NULL, &op), DSNN_ERROR,
              "sheaf_maps needs a graph");
  CHECK_ERROR(dsnn_operator_create("linear", NULL, graph, NULL, &op), DSNN_ERROR,
              "linear takes no graph");
  CHECK_ERROR(dsnn_operator_create("sheaf_maps", "{\"activation\": \"tan\"}", graph, NULL, &op),
              DSNN_ERROR,
              "activation is 'tan', expected one of identity, tanh, elu, relu; did you mean "
              "'tanh'?");
  CHECK_ERROR(dsnn_operator_create("sheaf_maps", "{\"activaton\": \"tanh\"}", graph, NULL, &op),
              DSNN_ERROR, "sheaf_maps: there is no option 'activaton'; did you mean 'activation'?");
  CHECK_ERROR(dsnn_operator_create("sheaf_maps", "[", graph, NULL, &op), DSNN_ERROR,
              "sheaf_maps: the options are not one JSON object");
  CHECK_ERROR(dsnn_operator_create("split", "{\"widths\": [3, -1]}", NULL, NULL, &op), DSNN_ERROR,
              "widths has -1, expected 0 to 2147483647");
  CHECK_OK(dsnn_operator_list(&list));
  CHECK(strstr(list, "\"scaled_diffusion\"") != NULL);
  dsnn_text_free(list);
  CHECK_OK(dsnn_graph_close(graph));
}

static void test_cross_entropy(void) {
  const int64_t label_numbers[2] = {1, 0}, node_numbers[1] = {0};
  const dsnn_array labels = {label_numbers, DSNN_INT64, 2, 8},
                   nodes = {node_numbers, DSNN_INT64, 1, 8};
  const double logits[4] = {0, 0, 5, 7};
  const int64_t shapes[] = {2, 2, 2};
  double loss = 0;
  const void* in[1];
  void* out[1];
  dsnn_operator* op = NULL;
  in[0] = logits, out[0] = &loss;
  CHECK_OK(dsnn_operator_create_cross_entropy(&labels, &nodes, &op));
  CHECK_OK(dsnn_operator_forward(op, DSNN_FLOAT64, 1, 0, 1, shapes, 3, in, 1, out));
  CHECK(fabs(loss - log(2)) < 1e-15);
  CHECK_OK(dsnn_operator_close(op));
}

int main(void) {
  CHECK(dsnn_c_api_version() >> 16 == DSNN_C_API_VERSION >> 16);
  CHECK(strlen(dsnn_version()) > 0);
  test_graph();
  test_graph_from_other_arrays();
  test_linear();
  test_spmm();
  test_attributes();
  test_cross_entropy();
  return 0;
}
