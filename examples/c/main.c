/*
 * dsnn from plain C: draws a random directed graph whose communities only the directions of arcs
 * distinguish, trains a network that uses directions and one that does not, predicts classes, and
 * computes the smallest eigenvalue of the graph's Laplacian. The argument is the folder for the
 * runs.
 */
#include <stdio.h>
#include <stdlib.h>

#include <dsnn/c.h>

/* Prints the library's message and exits if a call failed. */
static void check(dsnn_status status) {
  if (status == DSNN_OK) return;
  fprintf(stderr, "dsnn: %s\n", dsnn_last_error());
  exit(1);
}

/* Called with the progress of the training; a result other than 0 would cancel it. */
static int32_t count_messages(void* user_data, const char* message) {
  (void)message; /* JSON */
  ++*(int*)user_data;
  return 0;
}

/* Trains a model and returns its accuracy over all nodes. */
static double accuracy(dsnn_dataset* data, const char* model, const char* folder) {
  char path[1024], options[2048];
  char* result = NULL;
  dsnn_run* run = NULL;
  dsnn_dataset_sizes sizes;
  float* logits;
  int64_t *labels, right = 0;
  int messages = 0;

  snprintf(path, sizeof path, "%s/%s", folder, model);
  snprintf(options, sizeof options,
           "{\"model\": \"%s\", \"folder\": \"%s\", \"splits\": [0], \"seed\": 1,"
           " \"parameters\": {\"epochs\": 150, \"layers\": 4, \"channels\": 8}}",
           model, path);
  check(dsnn_train(data, options, count_messages, &messages, &result));
  dsnn_text_free(result); /* the scores of each split, as in result.json */

  check(dsnn_run_open(path, &run));
  check(dsnn_dataset_get_sizes(data, &sizes));
  logits = malloc((size_t)(sizes.num_nodes * sizes.num_classes) * sizeof *logits);
  labels = malloc((size_t)sizes.num_nodes * sizeof *labels);
  if (logits == NULL || labels == NULL) exit(1);
  check(dsnn_run_get_logits(run, -1, data, sizes.num_nodes, sizes.num_classes, logits));
  check(dsnn_dataset_get_labels(data, sizes.num_nodes, labels));
  for (int64_t u = 0; u < sizes.num_nodes; ++u) {
    const float* row = logits + u * sizes.num_classes;
    int64_t best = 0;
    for (int64_t c = 1; c < sizes.num_classes; ++c) {
      if (row[c] > row[best]) best = c;
    }
    right += best == labels[u];
  }
  free(logits);
  free(labels);
  check(dsnn_run_close(run));
  return (double)right / (double)sizes.num_nodes;
}

int main(int argc, char** argv) {
  dsnn_dataset* data = NULL;
  dsnn_graph* graph = NULL;
  dsnn_spectrum* spectrum = NULL;
  dsnn_graph_sizes sizes;
  double value;

  if (argc != 2) {
    fprintf(stderr, "expected a folder for the runs\n");
    return 1;
  }
  check(
      dsnn_dataset_dsbm("{\"nodes\": 300, \"communities\": 3, \"alpha_in\": 0.1,"
                        " \"alpha_out\": 0.1, \"beta\": 0.95, \"seed\": 1}",
                        &data));
  check(dsnn_dataset_get_graph(data, &graph));
  check(dsnn_graph_get_sizes(graph, &sizes));
  printf("%d nodes, %d arcs\n", (int)sizes.num_nodes, (int)sizes.num_arcs);
  printf("diag-nsd %.0f %%\n", 100 * accuracy(data, "diag-nsd", argv[1]));
  printf("diag-dsnn %.0f %%\n", 100 * accuracy(data, "diag-dsnn", argv[1]));

  check(dsnn_spectrum_compute(graph, "{\"charge\": 0, \"count\": 1}", NULL, NULL, NULL, NULL,
                              &spectrum));
  check(dsnn_spectrum_get(spectrum, 1, sizes.num_nodes, &value, NULL, NULL));
  printf("smallest eigenvalue without directions: %.6f\n", value < 0 ? -value : value);

  check(dsnn_spectrum_close(spectrum));
  check(dsnn_graph_close(graph));
  check(dsnn_dataset_close(data));
  return 0;
}
