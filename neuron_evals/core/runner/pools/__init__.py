"""Where items are executed: the calling thread, worker threads, an event loop, or forked processes."""
