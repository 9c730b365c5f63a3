/* Peterson's lock for two threads: a flag of one's own, and a turn that is given away. Sequentially consistent accesses keep it right;
   BROKEN has none. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define ORDER memory_order_relaxed
#endif

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif

atomic_int flag[2], turn;
int inside;

void *thread(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    atomic_store_explicit(&flag[me], 1, ORDER);
    atomic_store_explicit(&turn, other, ORDER);
    while (atomic_load_explicit(&flag[other], ORDER) && atomic_load_explicit(&turn, ORDER) == other)
        ;
    inside = me;
    assert(inside == me);
    atomic_store_explicit(&flag[me], 0, ORDER);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, thread, (void *)0);
    pthread_create(&b, 0, thread, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
