// The headers of the seam have no source of their own: compiled here with the library.
#include "storage-plugins/spi/storage_engine.hpp"
#include "storage-plugins/spi/write_batch.hpp"
