/* The queue lock of Craig, Landin and Hagersten: each waits on the node of the one before. BROKEN reuses its own node at once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 2

struct node {
    atomic_int held;
};

struct node nodes[N + 1];
_Atomic(struct node *) tail = &nodes[N];
int count;

void *thread(void *arg) {
    struct node *mine = &nodes[(long)arg];
    for (int round = 0; round < 2; round++) {
        atomic_store_explicit(&mine->held, 1, memory_order_relaxed);
        struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
        while (atomic_load_explicit(&before->held, memory_order_acquire))
            ;
        count++;
        atomic_store_explicit(&mine->held, 0, memory_order_release);
#ifndef BROKEN
        mine = before;
#endif
    }
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) pthread_create(&threads[i], 0, thread, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(count == 2 * N);
    return 0;
}
