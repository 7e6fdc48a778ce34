#pragma once

#include "dsnn/engine/graph.h"
#include "dsnn/engine/sparse_matrix.h"

#include "c/handles.h"

namespace dsnn::c {

using GraphHandles = Handles<dsnn_graph, const engine::Graph>;
GraphHandles& graphs();
using MatrixHandles = Handles<dsnn_matrix, const engine::SparseMatrix>;
MatrixHandles& matrices();

dsnn_graph* new_graph(DirectedGraph graph);

}  // namespace dsnn::c
