/* Fences by the model that needs them: PSO needs those of TSO too. */
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);

#ifdef PSO
#define TSO
#define pso() __sync_synchronize()
#else
#define pso()
#endif
#ifdef TSO
#define tso() __sync_synchronize()
#else
#define tso()
#endif
#define assume(e) __VERIFIER_assume(e)

/* A lock for two threads, 0 and 1. With WORDS it is the one that the reference counts of the table are made with: a word for each thread, and who has set its own waits for the other's to be 0. */
#ifdef WORDS
static int words[2];
#define LOCK(me) do { words[me] = 1; __sync_synchronize(); assume(words[1 - (me)] == 0); } while (0)
#define UNLOCK(me) do { __sync_synchronize(); words[me] = 0; } while (0)
#define TRYLOCK(me) ({ words[me] = 1; __sync_synchronize(); int busy = words[1 - (me)] != 0; if (busy) words[me] = 0; !busy; })
#else
static pthread_mutex_t mutex;
#define LOCK(me) pthread_mutex_lock(&mutex)
#define UNLOCK(me) pthread_mutex_unlock(&mutex)
#define TRYLOCK(me) (pthread_mutex_trylock(&mutex) == 0)
#endif

#define RUN(f, g)                                                                                                      \
    int main(void) {                                                                                                   \
        pthread_t a, b;                                                                                                \
        pthread_create(&a, 0, f, 0);                                                                                   \
        pthread_create(&b, 0, g, (void *)1);                                                                           \
        pthread_join(a, 0);                                                                                            \
        pthread_join(b, 0);                                                                                            \
        return 0;                                                                                                      \
    }
