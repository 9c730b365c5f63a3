/* A thread sleeps until another wakes it; the wake-up must not be lost. */
#include "../fences.h"
pthread_mutex_t m;
int counter, cond, global, finished;
static void park(void) {
    if (counter > 0) {
        counter = 0;
        return;
    }
    if (pthread_mutex_trylock(&m)) return;
    if (counter > 0) {
        counter = 0;
        pthread_mutex_unlock(&m);
        return;
    }
    cond = 1;
    pthread_mutex_unlock(&m);
    assert(!finished || cond == 0);
    assume(cond == 0);
    pthread_mutex_lock(&m);
    counter = 0;
    pthread_mutex_unlock(&m);
}
static void unpark(void) {
    pthread_mutex_lock(&m);
    int before = counter;
    counter = 1;
    pthread_mutex_unlock(&m);
    if (before < 1) cond = 0;
}
void *parker(void *arg) {
    while (!global) park();
    return 0;
}
void *unparker(void *arg) {
    unpark();
    global = 1;
    __sync_synchronize();
    unpark();
    __sync_synchronize();
    finished = 1;
    return 0;
}
RUN(parker, unparker)
