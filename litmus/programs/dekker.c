/* Dekker's algorithm for two threads: whose turn it is decides who steps back. BROKEN only publishes the flags. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define SET memory_order_release
#define GET memory_order_acquire
#else
#define SET memory_order_seq_cst
#define GET memory_order_seq_cst
#endif

atomic_int wants[2], turn;
int inside;

void *thread(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    atomic_store_explicit(&wants[me], 1, SET);
    while (atomic_load_explicit(&wants[other], GET)) {
        if (atomic_load_explicit(&turn, GET) != me) {
            atomic_store_explicit(&wants[me], 0, SET);
            while (atomic_load_explicit(&turn, GET) != me)
                ;
            atomic_store_explicit(&wants[me], 1, SET);
        }
    }
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store_explicit(&turn, other, SET);
    atomic_store_explicit(&wants[me], 0, SET);
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
