#include "fences.h"
int flag0, flag1, x;
void *first(void *arg) {
    flag0 = 1;
    tso();
    assume(flag1 < 3);
    flag0 = 3;
    tso();
    if (flag1 == 1) {
        flag0 = 2;
        tso();
        assume(flag1 == 4);
    }
    flag0 = 4;
    tso();
    assume(flag1 < 2);
    x = 0;
    assert(x == 0);
    pso();
    assume(flag1 < 2 || flag1 > 3);
    flag0 = 0;
    return 0;
}
void *second(void *arg) {
    flag1 = 1;
    tso();
    assume(flag0 < 3);
    flag1 = 3;
    tso();
    if (flag0 == 1) {
        flag1 = 2;
        tso();
        assume(flag0 == 4);
    }
    flag1 = 4;
    tso();
    assume(flag0 < 2);
    x = 1;
    assert(x == 1);
    pso();
    assume(flag0 < 2 || flag0 > 3);
    flag1 = 0;
    return 0;
}
RUN(first, second)
