/* Double-checked locking: the first user makes the instance, nobody may see it half made. */
#include "fences.h"
int instance, data, made;
void *user(void *arg) {
    while (1) {
        if (instance == 0) {
            LOCK(arg != 0);
            if (instance == 0) {
                made = made + 1;
                assert(made == 1);
                data = 1;
                pso();
                instance = 1;
            }
            UNLOCK(arg != 0);
        }
        assert(instance != 0);
        assert(data == 1);
    }
    return 0;
}
RUN(user, user)
