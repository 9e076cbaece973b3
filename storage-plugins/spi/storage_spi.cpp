// The headers of the seam, each compiled on its own.
#include "storage-plugins/spi/storage_engine.hpp"
#include "storage-plugins/spi/write_batch.hpp"
