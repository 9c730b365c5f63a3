/* THREADS threads add one to a counter under a mutex, TIMES times each. */
#include <assert.h>
#include <pthread.h>
#ifndef THREADS
#define THREADS 3
#endif
#ifndef TIMES
#define TIMES 1
#endif
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *use(void *arg) {
    for (int k = 0; k < TIMES; k++) {
        pthread_mutex_lock(&m);
        x = x + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], 0, use, 0);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
    assert(x == THREADS * TIMES);
    return 0;
}
