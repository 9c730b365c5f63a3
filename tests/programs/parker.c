/* A thread sleeps until another wakes it; the wake-up must not be lost. */
#include "fences.h"
int counter, cond, global, finished;
static void park(void) {
    if (counter > 0) {
        counter = 0;
        pso();
        return;
    }
    if (!TRYLOCK(0)) return;
    if (counter > 0) {
        counter = 0;
        UNLOCK(0);
        return;
    }
    cond = 1;
    UNLOCK(0);
    assert(!finished || cond == 0);
    assume(cond == 0);
    LOCK(0);
    counter = 0;
    UNLOCK(0);
}
static void unpark(void) {
    LOCK(1);
    int before = counter;
    counter = 1;
    UNLOCK(1);
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
