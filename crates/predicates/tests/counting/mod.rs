//! A worker that counts by compare-and-swap.

/// The worker; `> before` is what it asserts.
pub const RAISE: &str = "unsigned count;
    void *worker(void *arg) {
        unsigned before;
        do { before = __atomic_load_n(&count, 5); if (before == ~0u) return NULL; }
        while (!__sync_bool_compare_and_swap(&count, before, before + 1u));
        assert(__atomic_load_n(&count, 5) > before); return NULL; }\n";
