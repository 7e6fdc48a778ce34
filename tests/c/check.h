/* What the tests in C have for assertions: the first that fails says where, and ends the program.
 */
#ifndef DSNN_TESTS_C_CHECK_H
#define DSNN_TESTS_C_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dsnn/c.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

#define CHECK_OK(call)                                                            \
  do {                                                                            \
    const dsnn_status check_status = (call);                                      \
    if (check_status != DSNN_OK) {                                                \
      fprintf(stderr, "%s:%d: status %d: %s\n", __FILE__, __LINE__, check_status, \
              dsnn_last_error());                                                 \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)

#define CHECK_ERROR(call, status, sentence)                                                  \
  do {                                                                                       \
    const dsnn_status check_status = (call);                                                 \
    if (check_status != (status) || strcmp(dsnn_last_error(), sentence) != 0) {              \
      fprintf(stderr, "%s:%d: status %d, \"%s\", expected %d, \"%s\"\n", __FILE__, __LINE__, \
              check_status, dsnn_last_error(), status, sentence);                            \
      exit(1);                                                                               \
    }                                                                                        \
  } while (0)

#endif
