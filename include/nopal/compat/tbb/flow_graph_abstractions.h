// <tbb/flow_graph_abstractions.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/flow_graph_abstractions.h"
