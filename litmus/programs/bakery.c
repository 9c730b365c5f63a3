/* Lamport's bakery: take a number larger than all, wait for those with smaller ones. BROKEN takes numbers with release and acquire only. */
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

#define N 2

atomic_int choosing[N], number[N];
int count;

void *thread(void *arg) {
    int me = (int)(long)arg, max = 0;
    atomic_store_explicit(&choosing[me], 1, SET);
    for (int i = 0; i < N; i++) {
        int n = atomic_load_explicit(&number[i], GET);
        if (n > max) max = n;
    }
    int mine = max + 1;
    atomic_store_explicit(&number[me], mine, SET);
    atomic_store_explicit(&choosing[me], 0, SET);
    for (int i = 0; i < N; i++) {
        if (i == me) continue;
        while (atomic_load_explicit(&choosing[i], GET))
            ;
        int n;
        do
            n = atomic_load_explicit(&number[i], GET);
        while (n != 0 && (n < mine || (n == mine && i < me)));
    }
    count++;
    atomic_store_explicit(&number[me], 0, SET);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, thread, (void *)(long)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(count == N);
    return 0;
}
