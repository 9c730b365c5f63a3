#include "fences.h"
int x, y, b1, b2, cs;
#define THREAD(name, mine, other, me)                                                                                  \
    void *name(void *arg) {                                                                                            \
        while (1) {                                                                                                    \
            mine = 1;                                                                                                  \
            x = me;                                                                                                    \
            tso();                                                                                                     \
            if (y != 0) {                                                                                              \
                mine = 0;                                                                                              \
                assume(y == 0);                                                                                        \
                continue;                                                                                              \
            }                                                                                                          \
            y = me;                                                                                                    \
            tso();                                                                                                     \
            if (x != me) {                                                                                             \
                mine = 0;                                                                                              \
                assume(other == 0);                                                                                    \
                if (y != me) {                                                                                         \
                    assume(y == 0);                                                                                    \
                    continue;                                                                                          \
                }                                                                                                      \
            }                                                                                                          \
            break;                                                                                                     \
        }                                                                                                              \
        cs = me;                                                                                                       \
        assert(cs == me);                                                                                              \
        pso();                                                                                                         \
        y = 0;                                                                                                         \
        mine = 0;                                                                                                      \
        return 0;                                                                                                      \
    }
THREAD(first, b1, b2, 1)
THREAD(second, b2, b1, 2)
RUN(first, second)
