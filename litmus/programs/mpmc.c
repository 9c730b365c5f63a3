/* Vyukov's bounded queue for many producers and consumers: each cell has a number that says whose turn it is. BROKEN tells of an item before it is seen. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define TELL memory_order_relaxed
#else
#define TELL memory_order_release
#endif

#define SIZE 2

struct cell {
    atomic_int turn;
    int item;
} cells[SIZE] = { { 0, 0 }, { 1, 0 } };
atomic_int head, tail;

int put(int item) {
    int at = atomic_load_explicit(&tail, memory_order_relaxed);
    struct cell *cell = &cells[at % SIZE];
    if (atomic_load_explicit(&cell->turn, memory_order_acquire) != at) return 0;
    if (!atomic_compare_exchange_strong_explicit(&tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) return 0;
    cell->item = item;
    atomic_store_explicit(&cell->turn, at + 1, TELL);
    return 1;
}

int get(void) {
    int at = atomic_load_explicit(&head, memory_order_relaxed);
    struct cell *cell = &cells[at % SIZE];
    if (atomic_load_explicit(&cell->turn, memory_order_acquire) != at + 1) return 0;
    if (!atomic_compare_exchange_strong_explicit(&head, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) return 0;
    int item = cell->item;
    atomic_store_explicit(&cell->turn, at + SIZE, TELL);
    return item;
}

void *producer(void *arg) {
    put((int)(long)arg);
    return 0;
}

void *consumer(void *arg) {
    int item = get();
    assert(item == 0 || item == 1 || item == 2);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, (void *)1);
    pthread_create(&b, 0, producer, (void *)2);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
