/* A ticket lock: draw a number, wait until it is called. BROKEN calls the next number before the work is seen. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define CALL memory_order_relaxed
#else
#define CALL memory_order_release
#endif

#ifndef N
#define N 2
#endif

atomic_int next, serving;
int count;

void *thread(void *arg) {
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        ;
    count++;
    atomic_store_explicit(&serving, mine + 1, CALL);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, thread, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(count == N);
    return 0;
}
