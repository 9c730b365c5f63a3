/* Store buffering on a machine whose store buffers are variables of the program: each of its steps is a part that nothing comes between. Each thread writes to its
   own cell twice, and reads the next thread's. Threads that empty their buffers before they read do not all miss the others' last writes; with BROKEN nobody
   has to. */
#include <assert.h>
#include <pthread.h>

_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

#ifndef THREADS
#define THREADS 3
#endif

int memory[THREADS], newest[THREADS], older[THREADS], seen[THREADS], done;
_Bool has_newest[THREADS], has_older[THREADS];

static void put(int me, int value)
{
    __VERIFIER_atomic_begin();
    memory[me] = has_older[me] ? older[me] : memory[me];
    older[me] = newest[me];
    has_older[me] = has_newest[me];
    newest[me] = value;
    has_newest[me] = 1;
    __VERIFIER_atomic_end();
}

static void perhaps_land(int me)
{
    __VERIFIER_atomic_begin();
    _Bool lands = __VERIFIER_nondet_bool();
    memory[me] = lands && has_older[me] ? older[me] : lands && has_newest[me] ? newest[me] : memory[me];
    has_newest[me] = lands && !has_older[me] ? 0 : has_newest[me];
    has_older[me] = lands ? 0 : has_older[me];
    __VERIFIER_atomic_end();
}

static void all_land(int me)
{
    __VERIFIER_atomic_begin();
    memory[me] = has_newest[me] ? newest[me] : has_older[me] ? older[me] : memory[me];
    has_newest[me] = 0;
    has_older[me] = 0;
    __VERIFIER_atomic_end();
}

static void *thread(void *arg)
{
    int me = (long)arg;
#ifndef FEWER
    put(me, 1);
    perhaps_land(me);
#endif
    put(me, 2);
#ifdef BROKEN
    perhaps_land(me);
#else
    all_land(me);
#endif
    __VERIFIER_atomic_begin();
    seen[me] = memory[(me + 1) % THREADS];
    __VERIFIER_atomic_end();
    all_land(me);
    __VERIFIER_atomic_begin();
    done = done + 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, thread, (void *)i);
    __VERIFIER_atomic_begin();
    _Bool all = done == THREADS;
    __VERIFIER_atomic_end();
    __VERIFIER_assume(all);
    int missed = 0;
    for (int i = 0; i < THREADS; i++)
        missed += seen[i] < 2;
    assert(missed < THREADS);
    return 0;
}
