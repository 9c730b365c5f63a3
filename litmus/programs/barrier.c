/* A barrier that is used twice: the last to come turns the sense round. BROKEN turns it before it has counted again from the start. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 2

atomic_int waiting = N, sense;
int value[N];

void wait(int round) {
    if (atomic_fetch_sub_explicit(&waiting, 1, memory_order_acq_rel) == 1) {
#ifdef BROKEN
        atomic_store_explicit(&sense, round, memory_order_release);
        atomic_store_explicit(&waiting, N, memory_order_relaxed);
#else
        atomic_store_explicit(&waiting, N, memory_order_relaxed);
        atomic_store_explicit(&sense, round, memory_order_release);
#endif
    } else {
        while (atomic_load_explicit(&sense, memory_order_acquire) != round)
            ;
    }
}

void *thread(void *arg) {
    int me = (int)(long)arg;
    value[me] = 1;
    wait(1);
    assert(value[1 - me] == 1);
    wait(2);
    value[me] = 2;
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
