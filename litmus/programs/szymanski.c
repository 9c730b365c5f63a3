/* Szymanski's algorithm for two threads: a waiting room with two doors. BROKEN leaves the doors open for stores that come late. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define SET memory_order_relaxed
#define GET memory_order_relaxed
#else
#define SET memory_order_seq_cst
#define GET memory_order_seq_cst
#endif

/* 0: outside, 1: wants in, 2: waits for others to come in, 3: stands at the door, 4: is in, and has closed the door. */
atomic_int flag[2];
atomic_int inside;

void *thread(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    atomic_store_explicit(&flag[me], 1, SET);
    while (atomic_load_explicit(&flag[other], GET) >= 3)
        ;
    atomic_store_explicit(&flag[me], 3, SET);
    if (atomic_load_explicit(&flag[other], GET) == 1) {
        atomic_store_explicit(&flag[me], 2, SET);
        while (atomic_load_explicit(&flag[other], GET) != 4)
            ;
    }
    atomic_store_explicit(&flag[me], 4, SET);
    if (me == 1)
        while (atomic_load_explicit(&flag[0], GET) >= 2)
            ;
    assert(atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed) == 0);
    atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
    if (me == 0) {
        int door;
        do
            door = atomic_load_explicit(&flag[1], GET);
        while (door == 2 || door == 3);
    }
    atomic_store_explicit(&flag[me], 0, SET);
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
