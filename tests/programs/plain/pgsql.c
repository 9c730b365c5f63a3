/* Workers of a database wake each other: a latch is set after the flag that goes with it. */
#include "../fences.h"
int latch0 = 1, flag0 = 1, latch1, flag1;
void *first(void *arg) {
    for (;;) {
        assume(latch0);
        assert(!latch0 || flag0);
        latch0 = 0;
        if (flag0) {
            flag0 = 0;
            flag1 = 1;
            latch1 = 1;
        }
    }
    return 0;
}
void *second(void *arg) {
    for (;;) {
        assume(latch1);
        assert(!latch1 || flag1);
        latch1 = 0;
        if (flag1) {
            flag1 = 0;
            flag0 = 1;
            latch0 = 1;
        }
    }
    return 0;
}
RUN(first, second)
