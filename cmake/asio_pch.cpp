// Compiled only so that the precompiled header exists; the header is force-included.
