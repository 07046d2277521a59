//! A worker that counts itself in and out under a lock.

/// The worker; `between` stands between its coming and its assertion.
pub fn worker(between: &str) -> String {
    format!(
        "pthread_mutex_t m; unsigned level;
        void *worker(void *arg) {{
            pthread_mutex_lock(&m); level = level + 1; {between}
            assert(level == 1); level = level - 1;
            pthread_mutex_unlock(&m); return NULL; }}\n"
    )
}

/// Lets the lock go for a moment.
pub const GAP: &str = "pthread_mutex_unlock(&m); pthread_mutex_lock(&m);";
