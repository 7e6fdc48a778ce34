/* Datasets, training, runs and Laplacians through the C interface, in plain C. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <dsnn/c.h>

static dsnn_dataset* communities(void) {
  dsnn_dataset* data = NULL;
  CHECK_OK(
      dsnn_dataset_dsbm("{\"nodes\": 60, \"communities\": 2, \"alpha_in\": 0.2,"
                        " \"alpha_out\": 0.2, \"beta\": 0.9, \"seed\": 1}",
                        &data));
  return data;
}

static void test_dataset(void) {
  dsnn_dataset* data = communities();
  dsnn_dataset* copy = NULL;
  dsnn_graph* graph = NULL;
  dsnn_dataset_sizes sizes;
  int64_t labels[60], i;
  float features[120], read[120];
  uint8_t train[60], validation[60], test[60];
  char* text = NULL;
  dsnn_array array;
  CHECK_OK(dsnn_dataset_get_sizes(data, &sizes));
  CHECK(sizes.num_nodes == 60 && sizes.num_classes == 2 && sizes.num_splits == 10);
  CHECK_OK(dsnn_dataset_get_labels(data, 60, labels));
  CHECK_OK(dsnn_dataset_get_graph(data, &graph));
  CHECK_OK(dsnn_dataset_create("copy", graph, &copy));
  array.data = labels;
  array.type = DSNN_INT64;
  array.size = 60;
  array.stride = 8;
  CHECK_OK(dsnn_dataset_set_labels(copy, -1, &array));
  for (i = 0; i < 120; ++i) features[i] = (float)i;
  array.data = features;
  array.type = DSNN_FLOAT32;
  array.size = 120;
  array.stride = 4;
  CHECK_OK(dsnn_dataset_set_features(copy, 2, &array));
  CHECK_OK(dsnn_dataset_get_features(copy, 120, read, NULL, NULL));
  CHECK(memcmp(features, read, sizeof read) == 0);
  CHECK_ERROR(dsnn_dataset_set_features(copy, 3, &array), DSNN_ERROR,
              "values: there is room for 120, expected 180");
  CHECK_OK(dsnn_dataset_draw_splits(copy, "{\"count\": 2, \"train\": 0.5, \"validation\": 0.25}"));
  CHECK_OK(dsnn_dataset_get_split(copy, 1, 60, train, validation, test));
  for (i = 0; i < 60; ++i) CHECK(train[i] + validation[i] + test[i] == 1);
  CHECK_ERROR(dsnn_dataset_get_split(copy, 2, 60, train, validation, test), DSNN_ERROR,
              "there is no split 2, expected 0 to 1");
  CHECK_ERROR(dsnn_dataset_draw_splits(copy, "{\"cuont\": 2}"), DSNN_ERROR,
              "splits: there is no option 'cuont'; did you mean 'count'?");
  CHECK_OK(dsnn_dataset_describe(copy, &text));
  CHECK(strstr(text, "\"name\":\"copy\"") != NULL);
  dsnn_text_free(text);
  CHECK_OK(dsnn_graph_close(graph));
  CHECK_OK(dsnn_dataset_close(copy));
  CHECK_OK(dsnn_dataset_close(data));
}

static int32_t stop_at_once(void* user_data, const char* message) {
  CHECK(message[0] == '{');
  ++*(int*)user_data;
  return 1;
}

static void test_training(void) {
  dsnn_dataset* data = communities();
  char* text = NULL;
  int calls = 0;
  CHECK_OK(dsnn_train(data,
                      "{\"model\": \"mlp\", \"parameters\": {\"epochs\": 3}, \"splits\": [0]}",
                      NULL, NULL, &text));
  CHECK(strstr(text, "\"test_accuracy\"") != NULL);
  dsnn_text_free(text);
  CHECK_ERROR(dsnn_train(data,
                         "{\"model\": \"mlp\", \"parameters\": {\"epochs\": 100000000,"
                         " \"patience\": 100000000}, \"splits\": [0]}",
                         stop_at_once, &calls, &text),
              DSNN_CANCELLED, "cancelled");
  CHECK(calls == 1);
  /* What comes next is not cancelled. */
  CHECK_OK(dsnn_train_estimate(data, "{\"model\": \"mlp\"}", 0, &text));
  dsnn_text_free(text);
  CHECK_ERROR(dsnn_train(data, "{\"model\": \"mpl\"}", NULL, NULL, &text), DSNN_ERROR,
              "'mpl' is no model; did you mean 'mlp'? ('dsnn models' lists all)");
  CHECK_ERROR(dsnn_train(NULL, "{}", NULL, NULL, &text), DSNN_INVALID, "the dataset is NULL");
  CHECK_OK(dsnn_dataset_close(data));
}

static void test_laplacian(void) {
  const int32_t numbers[2] = {0, 1};
  const dsnn_array sources = {numbers, DSNN_INT32, 1, 4}, targets = {numbers + 1, DSNN_INT32, 1, 4};
  dsnn_graph* graph = NULL;
  dsnn_blocks* blocks = NULL;
  int64_t rows, columns, count, offsets[3];
  int32_t dim, places[4];
  double values[8];
  char* text = NULL;
  CHECK_OK(dsnn_graph_create(2, &sources, &targets, NULL, &graph));
  CHECK_OK(dsnn_laplacian(graph, "{\"charge\": 0.25}", NULL, NULL, &blocks));
  CHECK_OK(dsnn_blocks_get_sizes(blocks, &rows, &columns, &count, &dim));
  CHECK(rows == 2 && columns == 2 && count == 4 && dim == 1);
  CHECK_OK(dsnn_blocks_get(blocks, 2, 4, offsets, places, values));
  CHECK(values[0] == 1 && values[2] == 0 && values[3] == -1 && values[5] == 1);
  CHECK_OK(dsnn_blocks_close(blocks));
  CHECK_OK(dsnn_verify(graph, "{\"trials\": 1}", NULL, NULL, &text));
  CHECK(strstr(text, "\"passed\":true") != NULL);
  dsnn_text_free(text);
  CHECK_OK(dsnn_graph_close(graph));
}

static void test_lists(void) {
  char* text = NULL;
  CHECK_OK(dsnn_model_list(&text));
  CHECK(strstr(text, "\"diag-dsnn\"") != NULL);
  dsnn_text_free(text);
  CHECK_OK(dsnn_dataset_list(NULL, &text));
  CHECK(strstr(text, "\"cora\"") != NULL);
  dsnn_text_free(text);
}

int main(void) {
  test_dataset();
  test_training();
  test_laplacian();
  test_lists();
  return 0;
}
