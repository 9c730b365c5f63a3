/* A lock for readers and writers in one counter: readers add one, a writer takes it from 0 to -1. BROKEN lets a writer in beside a reader. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int count;
int a, b;

void *reader(void *arg) {
    int old;
    do
        while ((old = atomic_load_explicit(&count, memory_order_relaxed)) < 0)
            ;
    while (!atomic_compare_exchange_strong_explicit(&count, &old, old + 1, memory_order_acquire, memory_order_relaxed));
    assert(a == b);
    atomic_fetch_sub_explicit(&count, 1, memory_order_release);
    return 0;
}

void *writer(void *arg) {
    int old;
#ifdef BROKEN
    while ((old = atomic_load_explicit(&count, memory_order_acquire)) < 0)
        ;
    atomic_store_explicit(&count, -1, memory_order_relaxed);
#else
    do
        old = 0;
    while (!atomic_compare_exchange_strong_explicit(&count, &old, -1, memory_order_acquire, memory_order_relaxed));
#endif
    a++;
    b++;
    atomic_store_explicit(&count, 0, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, reader, 0);
    pthread_create(&threads[1], 0, writer, 0);
    pthread_create(&threads[2], 0, reader, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
