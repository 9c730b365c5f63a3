#include "fences.h"
int x, y, b1, b2, cs;
void *first(void *arg) {
    while (1) {
        b1 = 1;
        x = 1;
        tso();
        if (y != 0) {
            b1 = 0;
            assume(y == 0);
            continue;
        }
        y = 1;
        tso();
        if (x != 1) {
            b1 = 0;
            assume(b2 == 0);
            if (y != 1) {
                assume(y == 0);
                continue;
            }
        }
        break;
    }
    cs = 1;
    assert(cs == 1);
    pso();
    y = 0;
    b1 = 0;
    return 0;
}
void *second(void *arg) {
    while (1) {
        b2 = 1;
        x = 2;
        tso();
        if (y != 0) {
            b2 = 0;
            assume(y == 0);
            continue;
        }
        y = 2;
        tso();
        if (x != 2) {
            b2 = 0;
            assume(b1 == 0);
            if (y != 2) {
                assume(y == 0);
                continue;
            }
        }
        break;
    }
    cs = 2;
    assert(cs == 2);
    pso();
    y = 0;
    b2 = 0;
    return 0;
}
RUN(first, second)
