/* A ring with one writer and one reader. BROKEN publishes a slot before what is in it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

#define SIZE 2
#define ITEMS 3

int ring[SIZE];
atomic_uint head, tail;

void *writer(void *arg) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == SIZE)
            ;
        ring[i % SIZE] = 10 + i;
        atomic_store_explicit(&head, i + 1, PUBLISH);
    }
    return 0;
}

void *reader(void *arg) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) <= i)
            ;
        assert(ring[i % SIZE] == 10 + i);
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
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
