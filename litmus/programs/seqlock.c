/* A sequence lock: the reader looks at the counter before and after. BROKEN does not keep the second look after the data. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int sequence, x, y;

void *writer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        int s = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&x, i, memory_order_relaxed);
        atomic_store_explicit(&y, i, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 2, memory_order_release);
    }
    return 0;
}

void *reader(void *arg) {
    int before = atomic_load_explicit(&sequence, memory_order_acquire);
    if (before & 1) return 0;
    int a = atomic_load_explicit(&x, memory_order_relaxed);
    int b = atomic_load_explicit(&y, memory_order_relaxed);
#ifndef BROKEN
    atomic_thread_fence(memory_order_acquire);
#endif
    int after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before == after) assert(a == b);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
