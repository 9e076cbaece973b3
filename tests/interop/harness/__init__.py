"""What the interoperability scenarios stand on: processes, servers, Java clients."""
