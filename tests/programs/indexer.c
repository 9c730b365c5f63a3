/* A hash table with a lock for each slot; two threads put their own keys in it. */
#include <assert.h>
#include <pthread.h>
#define SIZE 8
#define MOST 4
int table[SIZE];
pthread_mutex_t locks[SIZE];
static int put(int slot, int value) {
    int done = 0;
    pthread_mutex_lock(&locks[slot]);
    if (table[slot] == 0) {
        table[slot] = value;
        done = 1;
    }
    pthread_mutex_unlock(&locks[slot]);
    return done;
}
void *thread(void *arg) {
    int id = (int)(long)arg;
    for (int m = 0; m < MOST; m++) {
        int value = m * 11 + id;
        int slot = (value * 7) % SIZE;
        while (!put(slot, value)) slot = (slot + 1) % SIZE;
        assert(slot >= 0);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, thread, (void *)1L);
    pthread_create(&b, 0, thread, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
