#pragma once

// Everything that dsnn::core offers. Sources that care about their compile time include what they
// use.

#include "dsnn/data/dataset.h"
#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/data/edge_list.h"
#include "dsnn/data/matrix_market.h"
#include "dsnn/data/npz.h"
#include "dsnn/data/registry.h"
#include "dsnn/data/splits.h"
#include "dsnn/graph/directed_graph.h"
#include "dsnn/graph/dsbm.h"
#include "dsnn/graph/statistics.h"
#include "dsnn/sheaf/block_sparse.h"
#include "dsnn/sheaf/coboundary.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/phase.h"
#include "dsnn/sheaf/sheaf.h"
#include "dsnn/spectral/eigenpairs.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"
#include "dsnn/verify/theorems.h"
#include "dsnn/version.h"
