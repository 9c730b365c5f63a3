/* A lock that looks before it tries. BROKEN gives it back with a relaxed store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define BACK memory_order_relaxed
#else
#define BACK memory_order_release
#endif

#ifndef N
#define N 2
#endif

atomic_int held;
int count;

void *thread(void *arg) {
    do {
        while (atomic_load_explicit(&held, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&held, 1, memory_order_acquire));
    count++;
    atomic_store_explicit(&held, 0, BACK);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, thread, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(count == N);
    return 0;
}
