/* The queue of Herlihy and Wing: a place is taken with a fetch-and-add, filled, and looked for from the front. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
#define PLACES 5
atomic_int place[PLACES];
atomic_int back;
int first, second, third, fourth;
void enqueue(int item) {
    int k = atomic_fetch_add_explicit(&back, 1, memory_order_acq_rel);
    atomic_store_explicit(&place[k], item, memory_order_release);
}
int dequeue(void) {
    int end = atomic_load_explicit(&back, memory_order_acquire);
    int item = 0;
    for (int k = 0; item == 0; k++) {
        __VERIFIER_assume(k < end);
        item = atomic_exchange_explicit(&place[k], 0, memory_order_acq_rel);
    }
    return item;
}
void *one(void *arg) {
    enqueue(1);
    second = dequeue();
    return 0;
}
void *two(void *arg) {
    enqueue(2);
    enqueue(3);
    return 0;
}
void *three(void *arg) {
    third = dequeue();
    enqueue(4);
    return 0;
}
void *four(void *arg) {
    fourth = dequeue();
    first = dequeue();
    return 0;
}
int main(void) {
    pthread_t a, b, c, d;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_create(&c, 0, three, 0);
    pthread_create(&d, 0, four, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    pthread_join(d, 0);
    assert(!(first == 1 && second == 2 && third == 3 && fourth == 4));
    return 0;
}
