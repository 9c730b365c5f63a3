/* The work-stealing deque of Chase and Lev, with the orders of Le, Pop, Cohen and Zappa Nardelli. The owner takes at the bottom, a thief steals at the top.
   BROKEN leaves out the fence between the owner's store and its load: the last item is taken twice. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4

atomic_int top, bottom, items[SIZE];
atomic_int taken[3];

void use(int item) { assert(atomic_fetch_add_explicit(&taken[item], 1, memory_order_relaxed) == 0); }

void push(int item) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b % SIZE], item, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

int take(void) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifndef BROKEN
    atomic_thread_fence(memory_order_seq_cst);
#endif
    int t = atomic_load_explicit(&top, memory_order_relaxed), item = 0;
    if (t <= b) {
        item = atomic_load_explicit(&items[b % SIZE], memory_order_relaxed);
        if (t < b) return item;
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed)) item = 0;
    }
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return item;
}

int steal(void) {
    int t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b) return 0;
    int item = atomic_load_explicit(&items[t % SIZE], memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed) ? item : 0;
}

void *owner(void *arg) {
    push(1);
    push(2);
    for (int i = 0; i < 2; i++) {
        int item = take();
        if (item) use(item);
    }
    return 0;
}

void *thief(void *arg) {
    for (int i = 0; i < 2; i++) {
        int item = steal();
        if (item) use(item);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, thief, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
