/* Functions of the Linux kernel, as accesses and fences of C11: marked accesses are relaxed, smp_mb() is a sequentially consistent fence, smp_rmb() an acquire one,
   smp_wmb() a release one. Under sc and tso that is what the kernel gets on such a machine; rc11 is not the kernel's model, and forbids more.
   With __LITMUS_LKMM, which `-m lkmm` defines, fences and RCU are those of the kernel's own model. */
#ifndef __LITMUS_LINUX
#define __LITMUS_LINUX
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
#define __user
#define __rcu
#define __percpu
#define __init
#define __read_mostly
#define __always_inline inline
#define likely(e) (e)
#define unlikely(e) (e)
#ifdef __LITMUS_LKMM
/* RCU is the model's; of sections inside each other the outermost counts. One in which something goes wrong ends there. */
static _Thread_local int __litmus_nested;
struct srcu_struct { int __readers; };
static _Thread_local struct srcu_struct *__litmus_srcu_0, *__litmus_srcu_1;
static inline void __litmus_leave_srcu(void) {
    if (__litmus_srcu_0) __litmus_kernel_fence("srcu-unlock-0", &__litmus_srcu_0->__readers);
    if (__litmus_srcu_1) __litmus_kernel_fence("srcu-unlock-1", &__litmus_srcu_1->__readers);
}
#define __litmus_wrong(text) \
    ((void)(__litmus_nested && (__litmus_kernel_fence("rcu-unlock"), 1)), \
     (void)(__litmus_calls("srcu_read_lock") && (__litmus_leave_srcu(), 1)), __litmus_assert(0, text))
#undef assert
#define assert(e) ((e) ? (void)0 : __litmus_wrong(#e))
#else
#define __litmus_wrong(text) __litmus_assert(0, text)
#endif
#define BUG_ON(e) ((e) ? __litmus_wrong("BUG_ON(" #e ")") : (void)0)
#define BUG() __litmus_wrong("BUG()")
#define WARN_ON(e) ({ int __warn = !!(e); if (__warn) __litmus_wrong("WARN_ON(" #e ")"); __warn; })
#define WARN_ON_ONCE(e) WARN_ON(e)
#define BUILD_BUG_ON(e) ((void)sizeof(char[1 - 2 * !!(e)]))
#define container_of(p, t, m) ((t *)((char *)(p) - offsetof(t, m)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define kmalloc(n, how) __litmus_malloc(n)
#define kzalloc(n, how) __litmus_calloc(n)
#define kfree(p) __litmus_free(p)
#define GFP_KERNEL 0
#define GFP_ATOMIC 0
#define GFP_NOWAIT 0
typedef int gfp_t;
#define kcalloc(n, size, how) __litmus_calloc((n) * (size))
#define kvfree(p) __litmus_free(p)
#define vfree(p) __litmus_free(p)
#define min(a, b) ({ __typeof__(a) __a = (a); __typeof__(b) __b = (b); __a < __b ? __a : __b; })
#define max(a, b) ({ __typeof__(a) __a = (a); __typeof__(b) __b = (b); __a > __b ? __a : __b; })
#define min_t(t, a, b) min((t)(a), (t)(b))
#define max_t(t, a, b) max((t)(a), (t)(b))
#define swap(a, b) do { __typeof__(a) __swap = (a); (a) = (b); (b) = __swap; } while (0)
#define WARN(e, ...) WARN_ON(e)
#define WARN_ONCE(e, ...) WARN_ON(e)
#define VM_BUG_ON(e) BUG_ON(e)
#define printk(...) __litmus_print(__VA_ARGS__)
#define pr_info(...) __litmus_print(__VA_ARGS__)
#define pr_err(...) __litmus_print(__VA_ARGS__)
#define pr_warn(...) __litmus_print(__VA_ARGS__)
#define pr_debug(...) __litmus_print(__VA_ARGS__)
#define KERN_INFO ""
#define KERN_ERR ""
#define EXPORT_SYMBOL(f)
#define EXPORT_SYMBOL_GPL(f)
#define MODULE_LICENSE(s)
#define MODULE_AUTHOR(s)
#define MODULE_DESCRIPTION(s)
#define module_init(f)
#define module_exit(f)
#define __exit
#define __maybe_unused __attribute__((unused))
#define __must_check
#define __acquires(l)
#define __releases(l)
#define __must_hold(l)
#define ____cacheline_aligned
#define ____cacheline_aligned_in_smp
#define noinline
#define asmlinkage
#define fallthrough ((void)0)
#define lockdep_is_held(l) 1
#define lockdep_assert_held(l) ((void)(l))
#ifdef __LITMUS_LKMM
#define data_race(e) __litmus_data_race(e)
#else
#define data_race(e) (e)
#endif
#define might_sleep() ((void)0)
#define cond_resched() ((void)0)
#define schedule() ((void)0)
#define msleep(n) ((void)(n))
#define udelay(n) ((void)(n))
#define preempt_disable() ((void)0)
#define preempt_enable() ((void)0)
#define local_irq_disable() ((void)0)
#define local_irq_enable() ((void)0)
#define local_irq_save(flags) ((void)((flags) = 0))
#define local_irq_restore(flags) ((void)(flags))
#define IS_ERR(p) ((unsigned long)(p) > (unsigned long)-4096)
#define IS_ERR_OR_NULL(p) (!(p) || IS_ERR(p))
#define ERR_PTR(n) ((void *)(long)(n))
#define PTR_ERR(p) ((long)(p))
#define PTR_ERR_OR_ZERO(p) (IS_ERR(p) ? (int)PTR_ERR(p) : 0)
#define clamp(v, low, high) min(max(v, low), high)
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define cpu_to_le32(n) (n)
#define le32_to_cpu(n) (n)
#define IS_ENABLED(option) 0

#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define ACCESS_ONCE(x) READ_ONCE(x)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_store_mb(x, v) do { WRITE_ONCE(x, v); smp_mb(); } while (0)
#ifdef __LITMUS_LKMM
#define smp_mb() __litmus_kernel_fence("mb")
#define smp_rmb() __litmus_kernel_fence("rmb")
#define smp_wmb() __litmus_kernel_fence("wmb")
#define smp_mb__before_atomic() __litmus_kernel_fence("before-atomic")
#define smp_mb__after_atomic() __litmus_kernel_fence("after-atomic")
#define smp_mb__after_spinlock() __litmus_kernel_fence("after-spinlock")
#define smp_mb__after_unlock_lock() __litmus_kernel_fence("after-unlock-lock")
#else
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb__before_atomic() smp_mb()
#define smp_mb__after_atomic() smp_mb()
#define smp_mb__after_spinlock() smp_mb()
#define smp_mb__after_unlock_lock() smp_mb()
#endif
#define mb() smp_mb()
#define rmb() smp_rmb()
#define wmb() smp_wmb()
#define smp_read_barrier_depends() ((void)0)
#define smp_acquire__after_ctrl_dep() smp_rmb()
#define barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define cpu_relax() ((void)0)
#define smp_cond_load_relaxed(p, e) ({ __typeof__(({ *(p); })) VAL; do VAL = READ_ONCE(*(p)); while (!(e)); VAL; })
#define smp_cond_load_acquire(p, e) ({ __typeof__(({ *(p); })) VAL; do VAL = smp_load_acquire(p); while (!(e)); VAL; })

/* Those that give a value are full fences, unless they say otherwise. */
#define __litmus_full(e) ({ smp_mb(); __typeof__(e) __full = (e); smp_mb(); __full; })
#define xchg_relaxed(p, v) __atomic_exchange_n(p, v, __ATOMIC_RELAXED)
#define xchg_acquire(p, v) __atomic_exchange_n(p, v, __ATOMIC_ACQUIRE)
#define xchg_release(p, v) __atomic_exchange_n(p, v, __ATOMIC_RELEASE)
#define xchg(p, v) __litmus_full(xchg_relaxed(p, v))
#define __litmus_cmpxchg(p, o, n, order, failed) \
    ({ __typeof__(*(p)) __old = (o); __atomic_compare_exchange_n(p, &__old, n, 0, order, failed); __old; })
#define cmpxchg_relaxed(p, o, n) __litmus_cmpxchg(p, o, n, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, o, n) __litmus_cmpxchg(p, o, n, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define cmpxchg_release(p, o, n) __litmus_cmpxchg(p, o, n, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
/* One that fails orders nothing. */
#ifdef __LITMUS_LKMM
#define cmpxchg(p, o, n) __litmus_cmpxchg(p, o, n, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#define try_cmpxchg(p, o, n) __atomic_compare_exchange_n(p, o, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#else
#define cmpxchg(p, o, n) __litmus_full(cmpxchg_relaxed(p, o, n))
#define try_cmpxchg(p, o, n) __litmus_full(try_cmpxchg_relaxed(p, o, n))
#endif
#define try_cmpxchg_relaxed(p, o, n) __atomic_compare_exchange_n(p, o, n, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define try_cmpxchg_acquire(p, o, n) __atomic_compare_exchange_n(p, o, n, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define try_cmpxchg_release(p, o, n) __atomic_compare_exchange_n(p, o, n, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)

typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic64_t;
typedef atomic64_t atomic_long_t;
#define ATOMIC_INIT(n) { n }
#define ATOMIC64_INIT(n) { n }
#define ATOMIC_LONG_INIT(n) { n }
#define __LITMUS_ATOMIC(name, type, number) \
    static inline number name##_read(const type *v) { return READ_ONCE(v->counter); } \
    static inline number name##_read_acquire(const type *v) { return smp_load_acquire(&v->counter); } \
    static inline void name##_set(type *v, number n) { WRITE_ONCE(v->counter, n); } \
    static inline void name##_set_release(type *v, number n) { smp_store_release(&v->counter, n); } \
    static inline void name##_add(number n, type *v) { __atomic_fetch_add(&v->counter, n, __ATOMIC_RELAXED); } \
    static inline void name##_sub(number n, type *v) { __atomic_fetch_sub(&v->counter, n, __ATOMIC_RELAXED); } \
    static inline void name##_inc(type *v) { name##_add(1, v); } \
    static inline void name##_dec(type *v) { name##_sub(1, v); } \
    static inline void name##_and(number n, type *v) { __atomic_fetch_and(&v->counter, n, __ATOMIC_RELAXED); } \
    static inline void name##_or(number n, type *v) { __atomic_fetch_or(&v->counter, n, __ATOMIC_RELAXED); } \
    static inline void name##_xor(number n, type *v) { __atomic_fetch_xor(&v->counter, n, __ATOMIC_RELAXED); } \
    __LITMUS_ORDERS(name, type, number, add) \
    __LITMUS_ORDERS(name, type, number, sub) \
    __LITMUS_ORDERS(name, type, number, and) \
    __LITMUS_ORDERS(name, type, number, or) \
    __LITMUS_ORDERS(name, type, number, xor) \
    static inline number name##_inc_return(type *v) { return name##_add_return(1, v); } \
    static inline number name##_dec_return(type *v) { return name##_sub_return(1, v); } \
    static inline number name##_fetch_inc(type *v) { return name##_fetch_add(1, v); } \
    static inline number name##_fetch_dec(type *v) { return name##_fetch_sub(1, v); } \
    static inline bool name##_inc_and_test(type *v) { return name##_add_return(1, v) == 0; } \
    static inline bool name##_dec_and_test(type *v) { return name##_sub_return(1, v) == 0; } \
    static inline bool name##_sub_and_test(number n, type *v) { return name##_sub_return(n, v) == 0; } \
    static inline bool name##_add_negative(number n, type *v) { return name##_add_return(n, v) < 0; } \
    static inline number name##_xchg(type *v, number n) { return xchg(&v->counter, n); } \
    static inline number name##_xchg_relaxed(type *v, number n) { return xchg_relaxed(&v->counter, n); } \
    static inline number name##_xchg_acquire(type *v, number n) { return xchg_acquire(&v->counter, n); } \
    static inline number name##_xchg_release(type *v, number n) { return xchg_release(&v->counter, n); } \
    static inline number name##_cmpxchg(type *v, number o, number n) { return cmpxchg(&v->counter, o, n); } \
    static inline number name##_cmpxchg_relaxed(type *v, number o, number n) { return cmpxchg_relaxed(&v->counter, o, n); } \
    static inline number name##_cmpxchg_acquire(type *v, number o, number n) { return cmpxchg_acquire(&v->counter, o, n); } \
    static inline number name##_cmpxchg_release(type *v, number o, number n) { return cmpxchg_release(&v->counter, o, n); } \
    static inline bool name##_try_cmpxchg(type *v, number *o, number n) { return try_cmpxchg(&v->counter, o, n); } \
    static inline bool name##_try_cmpxchg_relaxed(type *v, number *o, number n) { return try_cmpxchg_relaxed(&v->counter, o, n); } \
    static inline bool name##_try_cmpxchg_acquire(type *v, number *o, number n) { return try_cmpxchg_acquire(&v->counter, o, n); } \
    static inline bool name##_try_cmpxchg_release(type *v, number *o, number n) { return try_cmpxchg_release(&v->counter, o, n); } \
    static inline number name##_inc_return_relaxed(type *v) { return name##_add_return_relaxed(1, v); } \
    static inline number name##_inc_return_acquire(type *v) { return name##_add_return_acquire(1, v); } \
    static inline number name##_inc_return_release(type *v) { return name##_add_return_release(1, v); } \
    static inline number name##_dec_return_relaxed(type *v) { return name##_sub_return_relaxed(1, v); } \
    static inline number name##_dec_return_acquire(type *v) { return name##_sub_return_acquire(1, v); } \
    static inline number name##_dec_return_release(type *v) { return name##_sub_return_release(1, v); } \
    static inline number name##_fetch_inc_relaxed(type *v) { return name##_fetch_add_relaxed(1, v); } \
    static inline number name##_fetch_inc_acquire(type *v) { return name##_fetch_add_acquire(1, v); } \
    static inline number name##_fetch_dec_release(type *v) { return name##_fetch_sub_release(1, v); } \
    static inline number name##_fetch_andnot(number n, type *v) { return name##_fetch_and(~n, v); } \
    static inline bool name##_inc_unless_negative(type *v) { \
        number old = READ_ONCE(v->counter); \
        smp_mb(); \
        while (old >= 0 && !try_cmpxchg_relaxed(&v->counter, &old, old + 1)) ; \
        smp_mb(); \
        return old >= 0; \
    } \
    static inline bool name##_dec_unless_positive(type *v) { \
        number old = READ_ONCE(v->counter); \
        smp_mb(); \
        while (old <= 0 && !try_cmpxchg_relaxed(&v->counter, &old, old - 1)) ; \
        smp_mb(); \
        return old <= 0; \
    } \
    static inline void name##_andnot(number n, type *v) { __atomic_fetch_and(&v->counter, ~n, __ATOMIC_RELAXED); } \
    static inline number name##_dec_if_positive(type *v) { \
        number old = READ_ONCE(v->counter); \
        smp_mb(); \
        while (old > 0 && !try_cmpxchg_relaxed(&v->counter, &old, old - 1)) ; \
        smp_mb(); \
        return old - 1; \
    } \
    static inline number name##_fetch_add_unless(type *v, number n, number u) { \
        number old = READ_ONCE(v->counter); \
        smp_mb(); \
        while (old != u && !try_cmpxchg_relaxed(&v->counter, &old, old + n)) ; \
        smp_mb(); \
        return old; \
    } \
    static inline bool name##_add_unless(type *v, number n, number u) { return name##_fetch_add_unless(v, n, u) != u; } \
    static inline bool name##_inc_not_zero(type *v) { return name##_add_unless(v, 1, 0); }
#define __LITMUS_ORDERS(name, type, number, op) \
    static inline number name##_##op##_return_relaxed(number n, type *v) { return __atomic_##op##_fetch(&v->counter, n, __ATOMIC_RELAXED); } \
    static inline number name##_##op##_return_acquire(number n, type *v) { return __atomic_##op##_fetch(&v->counter, n, __ATOMIC_ACQUIRE); } \
    static inline number name##_##op##_return_release(number n, type *v) { return __atomic_##op##_fetch(&v->counter, n, __ATOMIC_RELEASE); } \
    static inline number name##_##op##_return(number n, type *v) { return __litmus_full(name##_##op##_return_relaxed(n, v)); } \
    static inline number name##_fetch_##op##_relaxed(number n, type *v) { return __atomic_fetch_##op(&v->counter, n, __ATOMIC_RELAXED); } \
    static inline number name##_fetch_##op##_acquire(number n, type *v) { return __atomic_fetch_##op(&v->counter, n, __ATOMIC_ACQUIRE); } \
    static inline number name##_fetch_##op##_release(number n, type *v) { return __atomic_fetch_##op(&v->counter, n, __ATOMIC_RELEASE); } \
    static inline number name##_fetch_##op(number n, type *v) { return __litmus_full(name##_fetch_##op##_relaxed(n, v)); }
__LITMUS_ATOMIC(atomic, atomic_t, int)
__LITMUS_ATOMIC(atomic64, atomic64_t, long)
__LITMUS_ATOMIC(atomic_long, atomic_long_t, long)

typedef struct { atomic_t refs; } refcount_t;
#define REFCOUNT_INIT(n) { { n } }
static inline void refcount_set(refcount_t *r, int n) { atomic_set(&r->refs, n); }
static inline unsigned refcount_read(const refcount_t *r) { return atomic_read(&r->refs); }
static inline void refcount_inc(refcount_t *r) { atomic_add(1, &r->refs); }
static inline bool refcount_inc_not_zero(refcount_t *r) {
    int old = atomic_read(&r->refs);
    while (old && !try_cmpxchg_relaxed(&r->refs.counter, &old, old + 1)) ;
    return old;
}
static inline void refcount_add(int n, refcount_t *r) { atomic_add(n, &r->refs); }
static inline void refcount_dec(refcount_t *r) { atomic_sub_return_release(1, &r->refs); }
static inline bool refcount_sub_and_test(int n, refcount_t *r) {
    bool last = atomic_sub_return_release(n, &r->refs) == 0;
    if (last) smp_rmb();
    return last;
}
static inline bool refcount_dec_and_test(refcount_t *r) {
    bool last = atomic_sub_return_release(1, &r->refs) == 0;
    if (last) smp_rmb();
    return last;
}

struct kref { refcount_t refcount; };
#define KREF_INIT(n) { REFCOUNT_INIT(n) }
static inline void kref_init(struct kref *k) { refcount_set(&k->refcount, 1); }
static inline unsigned kref_read(const struct kref *k) { return refcount_read(&k->refcount); }
static inline void kref_get(struct kref *k) { refcount_inc(&k->refcount); }
static inline int kref_get_unless_zero(struct kref *k) { return refcount_inc_not_zero(&k->refcount); }
static inline int kref_put(struct kref *k, void (*release)(struct kref *)) {
    if (!refcount_dec_and_test(&k->refcount)) return 0;
    release(k);
    return 1;
}

/* Bits; a word is an unsigned long. */
#define BITS_PER_LONG 64
#define BIT(n) (1UL << (n))
static inline bool test_bit(long n, const unsigned long *p) { return READ_ONCE(p[n / 64]) >> (n % 64) & 1; }
static inline void set_bit(long n, unsigned long *p) { __atomic_fetch_or(&p[n / 64], 1UL << (n % 64), __ATOMIC_RELAXED); }
static inline void clear_bit(long n, unsigned long *p) { __atomic_fetch_and(&p[n / 64], ~(1UL << (n % 64)), __ATOMIC_RELAXED); }
static inline void change_bit(long n, unsigned long *p) { __atomic_fetch_xor(&p[n / 64], 1UL << (n % 64), __ATOMIC_RELAXED); }
static inline bool test_and_change_bit(long n, unsigned long *p) {
    return __litmus_full(__atomic_fetch_xor(&p[n / 64], 1UL << (n % 64), __ATOMIC_RELAXED)) >> (n % 64) & 1;
}
static inline void __set_bit(long n, unsigned long *p) { p[n / 64] |= 1UL << (n % 64); }
static inline void __clear_bit(long n, unsigned long *p) { p[n / 64] &= ~(1UL << (n % 64)); }
static inline bool test_and_set_bit(long n, unsigned long *p) {
    return __litmus_full(__atomic_fetch_or(&p[n / 64], 1UL << (n % 64), __ATOMIC_RELAXED)) >> (n % 64) & 1;
}
static inline bool test_and_clear_bit(long n, unsigned long *p) {
    return __litmus_full(__atomic_fetch_and(&p[n / 64], ~(1UL << (n % 64)), __ATOMIC_RELAXED)) >> (n % 64) & 1;
}
static inline bool test_and_set_bit_lock(long n, unsigned long *p) {
    return __atomic_fetch_or(&p[n / 64], 1UL << (n % 64), __ATOMIC_ACQUIRE) >> (n % 64) & 1;
}
static inline void clear_bit_unlock(long n, unsigned long *p) {
    __atomic_fetch_and(&p[n / 64], ~(1UL << (n % 64)), __ATOMIC_RELEASE);
}

/* Locks. */
typedef struct { int __held; } spinlock_t;
typedef spinlock_t raw_spinlock_t;
struct mutex { int __held; };
#define __SPIN_LOCK_UNLOCKED(l) { 0 }
#define DEFINE_SPINLOCK(l) spinlock_t l = { 0 }
#define DEFINE_RAW_SPINLOCK(l) raw_spinlock_t l = { 0 }
#define DEFINE_MUTEX(l) struct mutex l = { 0 }
#define spin_lock_init(l) ((void)((l)->__held = 0))
#define mutex_init(l) ((void)((l)->__held = 0))
#define spin_lock(l) __litmus_acquire(&(l)->__held)
#define spin_unlock(l) __litmus_release(&(l)->__held)
#define spin_trylock(l) __litmus_try_acquire(&(l)->__held)
#define spin_trylock_irqsave(l, flags) ((flags) = 0, spin_trylock(l))
#define spin_is_locked(l) (READ_ONCE((l)->__held) != 0)
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_bh(l) spin_lock(l)
#define spin_unlock_bh(l) spin_unlock(l)
#define spin_lock_irqsave(l, flags) do { (flags) = 0; spin_lock(l); } while (0)
#define spin_unlock_irqrestore(l, flags) spin_unlock(l)
#define raw_spin_lock(l) spin_lock(l)
#define raw_spin_unlock(l) spin_unlock(l)
#define raw_spin_lock_irqsave(l, flags) spin_lock_irqsave(l, flags)
#define raw_spin_unlock_irqrestore(l, flags) spin_unlock(l)
#define mutex_lock(l) __litmus_acquire(&(l)->__held)
#define mutex_unlock(l) __litmus_release(&(l)->__held)
#define mutex_trylock(l) __litmus_try_acquire(&(l)->__held)
#define mutex_is_locked(l) (READ_ONCE((l)->__held) != 0)
#define mutex_lock_interruptible(l) (mutex_lock(l), 0)
#define mutex_destroy(l) __litmus_destroy(&(l)->__held)
#define spin_lock_nested(l, n) spin_lock(l)
#define mutex_lock_nested(l, n) mutex_lock(l)
typedef pthread_rwlock_t rwlock_t;
#define rwlock_init(l) ((void)pthread_rwlock_init(l, 0))
struct rw_semaphore { pthread_rwlock_t __lock; };
#define DECLARE_RWSEM(l) struct rw_semaphore l = { PTHREAD_RWLOCK_INITIALIZER }
#define init_rwsem(l) rwlock_init(&(l)->__lock)
#define down_read(l) read_lock(&(l)->__lock)
#define up_read(l) read_unlock(&(l)->__lock)
#define down_write(l) write_lock(&(l)->__lock)
#define up_write(l) write_unlock(&(l)->__lock)
#define DEFINE_RWLOCK(l) rwlock_t l = PTHREAD_RWLOCK_INITIALIZER
#define read_lock(l) ((void)pthread_rwlock_rdlock(l))
#define read_unlock(l) ((void)pthread_rwlock_unlock(l))
#define write_lock(l) ((void)pthread_rwlock_wrlock(l))
#define write_unlock(l) ((void)pthread_rwlock_unlock(l))
#define read_trylock(l) (!pthread_rwlock_tryrdlock(l))
#define write_trylock(l) (!pthread_rwlock_trywrlock(l))
#define read_lock_irq(l) read_lock(l)
#define read_unlock_irq(l) read_unlock(l)
#define read_lock_bh(l) read_lock(l)
#define read_unlock_bh(l) read_unlock(l)
#define write_lock_irq(l) write_lock(l)
#define write_unlock_irq(l) write_unlock(l)
#define write_lock_bh(l) write_lock(l)
#define write_unlock_bh(l) write_unlock(l)
#define read_lock_irqsave(l, flags) do { (flags) = 0; read_lock(l); } while (0)
#define read_unlock_irqrestore(l, flags) read_unlock(l)
#define write_lock_irqsave(l, flags) do { (flags) = 0; write_lock(l); } while (0)
#define write_unlock_irqrestore(l, flags) write_unlock(l)

#ifdef __LITMUS_LKMM
#define rcu_read_lock() do { if (__litmus_nested++ == 0) __litmus_kernel_fence("rcu-lock"); } while (0)
#define rcu_read_unlock() do { if (--__litmus_nested == 0) __litmus_kernel_fence("rcu-unlock"); } while (0)
#define synchronize_rcu() __litmus_kernel_fence("sync-rcu")
/* As Dartagnan's headers have them. */
#define __LKMM_FENCE(name) __litmus_fence_##name()
#define __litmus_fence_rcu_lock() __litmus_kernel_fence("rcu-lock")
#define __litmus_fence_rcu_unlock() __litmus_kernel_fence("rcu-unlock")
#define __litmus_fence_rcu_sync() __litmus_kernel_fence("sync-rcu")
#else
/* RCU: readers are counted; who waits for them waits until there are none. */
static int __litmus_readers;
#define rcu_read_lock() ((void)__litmus_full(__atomic_fetch_add(&__litmus_readers, 1, __ATOMIC_ACQUIRE)))
#define rcu_read_unlock() ((void)__atomic_fetch_sub(&__litmus_readers, 1, __ATOMIC_RELEASE))
static inline void synchronize_rcu(void) {
    smp_mb();
    __litmus_await(__atomic_load_n(&__litmus_readers, __ATOMIC_ACQUIRE) == 0);
    smp_mb();
}
#endif
#define synchronize_rcu_expedited() synchronize_rcu()

/* SRCU: each structure has readers and grace periods of its own. */
#ifdef __LITMUS_LKMM
/* The cookie says which of two sections that a thread may have open at once is meant. */
static inline int srcu_read_lock(struct srcu_struct *s) {
    if (!__litmus_srcu_0) {
        __litmus_srcu_0 = s;
        __litmus_kernel_fence("srcu-lock-0", &s->__readers);
        return 0;
    }
    __litmus_assert(!__litmus_srcu_1, "no thread is in more than two SRCU sections at once (more are not supported)");
    __litmus_srcu_1 = s;
    __litmus_kernel_fence("srcu-lock-1", &s->__readers);
    return 1;
}
static inline void srcu_read_unlock(struct srcu_struct *s, int idx) {
    if (idx == 0) {
        __litmus_assert(__litmus_srcu_0 == s, "srcu_read_unlock() of what this thread has locked");
        __litmus_kernel_fence("srcu-unlock-0", &s->__readers);
        __litmus_srcu_0 = 0;
    } else {
        __litmus_assert(idx == 1 && __litmus_srcu_1 == s, "srcu_read_unlock() of what this thread has locked");
        __litmus_kernel_fence("srcu-unlock-1", &s->__readers);
        __litmus_srcu_1 = 0;
    }
}
#define synchronize_srcu(s) __litmus_kernel_fence("sync-srcu", &(s)->__readers)
#define init_srcu_struct(s) ((void)(s), 0)
#define smp_mb__after_srcu_read_unlock() __litmus_kernel_fence("after-srcu-read-unlock")
#else
/* Readers are counted, as those of RCU. */
struct srcu_struct { int __readers; };
static inline int srcu_read_lock(struct srcu_struct *s) {
    __litmus_full(__atomic_fetch_add(&s->__readers, 1, __ATOMIC_ACQUIRE));
    return 0;
}
static inline void srcu_read_unlock(struct srcu_struct *s, int idx) { __atomic_fetch_sub(&s->__readers, 1, __ATOMIC_RELEASE); }
static inline void synchronize_srcu(struct srcu_struct *s) {
    smp_mb();
    __litmus_await(__atomic_load_n(&s->__readers, __ATOMIC_ACQUIRE) == 0);
    smp_mb();
}
static inline int init_srcu_struct(struct srcu_struct *s) {
    __atomic_store_n(&s->__readers, 0, __ATOMIC_RELAXED);
    return 0;
}
#define smp_mb__after_srcu_read_unlock() smp_mb()
#endif
#define DEFINE_SRCU(name) struct srcu_struct name
#define DEFINE_STATIC_SRCU(name) static struct srcu_struct name
#define cleanup_srcu_struct(s) ((void)(s))
#define synchronize_srcu_expedited(s) synchronize_srcu(s)
#define srcu_dereference(p, s) rcu_dereference(p)
#define srcu_dereference_check(p, s, c) rcu_dereference(p)
#define srcu_read_lock_held(s) 1
/* What hangs on the pointer comes after it: without dependencies, by acquiring. */
#ifdef __LITMUS_LKMM
#define rcu_dereference(p) READ_ONCE(p)
#else
#define rcu_dereference(p) __atomic_load_n(&(p), __ATOMIC_CONSUME)
#endif
#define rcu_dereference_protected(p, c) (p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_assign_pointer(p, v) smp_store_release(&(p), v)
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)
#define rcu_dereference_check(p, c) rcu_dereference(p)
#define rcu_dereference_raw(p) rcu_dereference(p)
#define rcu_replace_pointer(p, v, c) ({ __typeof__(p) __was = (p); rcu_assign_pointer(p, v); __was; })
/* What is to be done after a grace period is done by a thread of its own. */
struct rcu_head { void (*func)(struct rcu_head *); };
#define callback_head rcu_head
/* How much of it is still to be done. */
static int __litmus_owed;
static inline void __litmus_owes(int n) {
    if (__litmus_calls("rcu_barrier")) __atomic_fetch_add(&__litmus_owed, n, __ATOMIC_RELEASE);
}
static inline void rcu_barrier(void) {
    __litmus_await(__atomic_load_n(&__litmus_owed, __ATOMIC_ACQUIRE) == 0);
    smp_mb();
}
static inline void *__litmus_after_rcu(void *p) {
    struct rcu_head *head = p;
    synchronize_rcu();
    head->func(head);
    __litmus_owes(-1);
    return 0;
}
static inline void *__litmus_free_after_rcu(void *p) {
    synchronize_rcu();
    __litmus_free(p);
    __litmus_owes(-1);
    return 0;
}
#define call_rcu(head, f) \
    do { (head)->func = (f); __litmus_owes(1); __litmus_spawn(0, __litmus_after_rcu, (void *)(head)); } while (0)
#define kfree_rcu(p, field) (__litmus_owes(1), __litmus_spawn(0, __litmus_free_after_rcu, (void *)(p)))
#define kvfree_rcu(p, field) kfree_rcu(p, field)

/* Sequence counters and locks. */
typedef struct { unsigned sequence; } seqcount_t;
typedef struct { seqcount_t count; spinlock_t lock; } seqlock_t;
#define SEQCNT_ZERO(s) { 0 }
#define __SEQLOCK_UNLOCKED(l) { { 0 }, { 0 } }
#define SEQCNT_ZERO(s) { 0 }
#define DEFINE_SEQLOCK(l) seqlock_t l = { { 0 }, { 0 } }
#define seqcount_init(s) ((void)((s)->sequence = 0))
#define seqlock_init(l) ((void)((l)->count.sequence = 0, (l)->lock.__held = 0))
static inline unsigned read_seqcount_begin(const seqcount_t *s) {
    unsigned n;
    while ((n = READ_ONCE(s->sequence)) & 1) ;
    smp_rmb();
    return n;
}
static inline int read_seqcount_retry(const seqcount_t *s, unsigned n) { smp_rmb(); return READ_ONCE(s->sequence) != n; }
static inline void write_seqcount_begin(seqcount_t *s) { WRITE_ONCE(s->sequence, s->sequence + 1); smp_wmb(); }
static inline void write_seqcount_end(seqcount_t *s) { smp_wmb(); WRITE_ONCE(s->sequence, s->sequence + 1); }
#define raw_write_seqcount_begin(s) write_seqcount_begin(s)
#define raw_write_seqcount_end(s) write_seqcount_end(s)
#define read_seqbegin(l) read_seqcount_begin(&(l)->count)
#define read_seqretry(l, n) read_seqcount_retry(&(l)->count, n)
#define write_seqlock(l) do { spin_lock(&(l)->lock); write_seqcount_begin(&(l)->count); } while (0)
#define write_sequnlock(l) do { write_seqcount_end(&(l)->count); spin_unlock(&(l)->lock); } while (0)

/* Lists. */
struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD_INIT(l) { &(l), &(l) }
#define LIST_HEAD(l) struct list_head l = LIST_HEAD_INIT(l)
static inline void INIT_LIST_HEAD(struct list_head *l) { WRITE_ONCE(l->next, l); l->prev = l; }
static inline void __list_add(struct list_head *new, struct list_head *prev, struct list_head *next) {
    next->prev = new;
    new->next = next;
    new->prev = prev;
    WRITE_ONCE(prev->next, new);
}
static inline void list_add(struct list_head *new, struct list_head *l) { __list_add(new, l, l->next); }
static inline void list_add_tail(struct list_head *new, struct list_head *l) { __list_add(new, l->prev, l); }
static inline void list_del(struct list_head *e) { e->next->prev = e->prev; WRITE_ONCE(e->prev->next, e->next); }
static inline void list_add_rcu(struct list_head *new, struct list_head *l) {
    struct list_head *next = l->next;
    new->next = next;
    new->prev = l;
    rcu_assign_pointer(l->next, new);
    next->prev = new;
}
#define list_del_rcu(e) list_del(e)
#define list_empty(l) (READ_ONCE((l)->next) == (l))
#define list_empty_careful(l) list_empty(l)
#define list_entry(p, t, m) container_of(p, t, m)
static inline void list_del_init(struct list_head *e) { list_del(e); INIT_LIST_HEAD(e); }
static inline void list_replace(struct list_head *old, struct list_head *new) {
    new->next = old->next;
    new->next->prev = new;
    new->prev = old->prev;
    WRITE_ONCE(new->prev->next, new);
}
static inline void list_move(struct list_head *e, struct list_head *l) { list_del(e); list_add(e, l); }
static inline void list_move_tail(struct list_head *e, struct list_head *l) { list_del(e); list_add_tail(e, l); }
static inline void __list_splice(struct list_head *from, struct list_head *prev, struct list_head *next) {
    from->next->prev = prev;
    prev->next = from->next;
    from->prev->next = next;
    next->prev = from->prev;
}
static inline void list_splice(struct list_head *from, struct list_head *l) {
    if (!list_empty(from)) __list_splice(from, l, l->next);
}
static inline void list_splice_init(struct list_head *from, struct list_head *l) {
    if (!list_empty(from)) { __list_splice(from, l, l->next); INIT_LIST_HEAD(from); }
}
static inline void list_splice_tail_init(struct list_head *from, struct list_head *l) {
    if (!list_empty(from)) { __list_splice(from, l->prev, l); INIT_LIST_HEAD(from); }
}
static inline void list_add_tail_rcu(struct list_head *new, struct list_head *l) {
    struct list_head *prev = l->prev;
    new->next = l;
    new->prev = prev;
    rcu_assign_pointer(prev->next, new);
    l->prev = new;
}
static inline void list_replace_rcu(struct list_head *old, struct list_head *new) {
    new->next = old->next;
    new->prev = old->prev;
    rcu_assign_pointer(new->prev->next, new);
    new->next->prev = new;
}
#define list_is_singular(l) (!list_empty(l) && (l)->next == (l)->prev)
#define list_is_last(e, l) ((e)->next == (l))
#define list_first_entry(l, t, m) list_entry((l)->next, t, m)
#define list_last_entry(l, t, m) list_entry((l)->prev, t, m)
#define list_first_entry_or_null(l, t, m) \
    ({ struct list_head *__first = READ_ONCE((l)->next); __first != (l) ? list_entry(__first, t, m) : (t *)0; })
#define list_next_entry(p, m) list_entry((p)->m.next, __typeof__(*(p)), m)
#define list_prev_entry(p, m) list_entry((p)->m.prev, __typeof__(*(p)), m)
#define list_for_each_prev(p, l) for (p = (l)->prev; p != (l); p = p->prev)
#define list_for_each_safe(p, n, l) for (p = (l)->next, n = p->next; p != (l); p = n, n = p->next)
#define list_for_each_entry_reverse(p, l, m) \
    for (p = list_entry((l)->prev, __typeof__(*p), m); &p->m != (l); p = list_entry(p->m.prev, __typeof__(*p), m))
#define list_entry_rcu(p, t, m) container_of(rcu_dereference(p), t, m)
#define list_for_each(p, l) for (p = (l)->next; p != (l); p = p->next)
#define list_for_each_entry(p, l, m) \
    for (p = list_entry((l)->next, __typeof__(*p), m); &p->m != (l); p = list_entry(p->m.next, __typeof__(*p), m))
#define list_for_each_entry_safe(p, n, l, m) \
    for (p = list_entry((l)->next, __typeof__(*p), m), n = list_entry(p->m.next, __typeof__(*p), m); &p->m != (l); \
         p = n, n = list_entry(n->m.next, __typeof__(*n), m))
#define list_for_each_entry_rcu(p, l, m) \
    for (p = list_entry(rcu_dereference((l)->next), __typeof__(*p), m); &p->m != (l); \
         p = list_entry(rcu_dereference(p->m.next), __typeof__(*p), m))

/* What holds a node, if there is one. */
#define __litmus_entry_or_null(p, t, m) ({ __typeof__(p) __at = (p); __at ? container_of(__at, t, m) : (t *)0; })

/* Lists whose head is one pointer. */
struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
#define HLIST_HEAD_INIT { 0 }
#define HLIST_HEAD(l) struct hlist_head l = HLIST_HEAD_INIT
#define INIT_HLIST_HEAD(l) ((void)((l)->first = 0))
static inline void INIT_HLIST_NODE(struct hlist_node *e) { e->next = 0; e->pprev = 0; }
#define hlist_empty(l) (!READ_ONCE((l)->first))
#define hlist_unhashed(e) (!(e)->pprev)
static inline void hlist_add_head(struct hlist_node *e, struct hlist_head *l) {
    struct hlist_node *first = l->first;
    e->next = first;
    if (first) first->pprev = &e->next;
    WRITE_ONCE(l->first, e);
    e->pprev = &l->first;
}
static inline void hlist_add_head_rcu(struct hlist_node *e, struct hlist_head *l) {
    struct hlist_node *first = l->first;
    e->next = first;
    e->pprev = &l->first;
    rcu_assign_pointer(l->first, e);
    if (first) first->pprev = &e->next;
}
static inline void hlist_del(struct hlist_node *e) {
    struct hlist_node *next = e->next, **pprev = e->pprev;
    WRITE_ONCE(*pprev, next);
    if (next) next->pprev = pprev;
}
#define hlist_del_rcu(e) hlist_del(e)
static inline void hlist_del_init(struct hlist_node *e) { if (e->pprev) { hlist_del(e); INIT_HLIST_NODE(e); } }
#define hlist_entry(p, t, m) container_of(p, t, m)
#define hlist_entry_safe(p, t, m) __litmus_entry_or_null(p, t, m)
#define hlist_for_each_entry(p, l, m) \
    for (p = hlist_entry_safe((l)->first, __typeof__(*p), m); p; p = hlist_entry_safe(p->m.next, __typeof__(*p), m))
#define hlist_for_each_entry_safe(p, n, l, m) \
    for (p = hlist_entry_safe((l)->first, __typeof__(*p), m); p && (n = p->m.next, 1); p = hlist_entry_safe(n, __typeof__(*p), m))
#define hlist_for_each_entry_rcu(p, l, m) \
    for (p = hlist_entry_safe(rcu_dereference((l)->first), __typeof__(*p), m); p; \
         p = hlist_entry_safe(rcu_dereference(p->m.next), __typeof__(*p), m))

/* Lists without locks. */
struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };
#define LLIST_HEAD_INIT(l) { 0 }
#define LLIST_HEAD(l) struct llist_head l = LLIST_HEAD_INIT(l)
#define init_llist_head(l) ((void)((l)->first = 0))
#define llist_empty(l) (!READ_ONCE((l)->first))
#define llist_entry(p, t, m) container_of(p, t, m)
static inline bool llist_add_batch(struct llist_node *first, struct llist_node *last, struct llist_head *l) {
    struct llist_node *old = READ_ONCE(l->first);
    do WRITE_ONCE(last->next, old); while (!try_cmpxchg(&l->first, &old, first));
    return !old;
}
static inline bool llist_add(struct llist_node *e, struct llist_head *l) { return llist_add_batch(e, e, l); }
static inline struct llist_node *llist_del_all(struct llist_head *l) { return xchg(&l->first, (struct llist_node *)0); }
static inline struct llist_node *llist_del_first(struct llist_head *l) {
    struct llist_node *first = smp_load_acquire(&l->first);
    while (first && !try_cmpxchg(&l->first, &first, READ_ONCE(first->next))) ;
    return first;
}
static inline struct llist_node *llist_reverse_order(struct llist_node *e) {
    struct llist_node *all = 0;
    while (e) { struct llist_node *next = e->next; e->next = all; all = e; e = next; }
    return all;
}
#define llist_next(e) ((e)->next)
#define llist_for_each(p, e) for (p = (e); p; p = p->next)
#define llist_for_each_entry(p, e, m) \
    for (p = __litmus_entry_or_null(e, __typeof__(*p), m); p; p = __litmus_entry_or_null(p->m.next, __typeof__(*p), m))
#define llist_for_each_entry_safe(p, n, e, m) \
    for (p = __litmus_entry_or_null(e, __typeof__(*p), m); p && (n = __litmus_entry_or_null(p->m.next, __typeof__(*n), m), 1); p = n)

/* Threads and completions. */
struct task_struct;
#define kthread_run(f, data, ...) \
    ({ unsigned long __task; __litmus_spawn(&__task, f, (void *)(data)); (struct task_struct *)__task; })
/* Threads are told to stop by their number. */
static int __kthread_stopped[64];
static inline int kthread_should_stop(void) {
    return __atomic_load_n(&__kthread_stopped[__litmus_self() & 63], __ATOMIC_RELAXED);
}
/* One that was only created begins once it is woken up. */
static int __kthread_woken[64];
struct __kthread_given { int (*f)(void *); void *data; };
static struct __kthread_given __kthread_given[64];
static int __kthread_created;
static inline void wake_up_process(struct task_struct *task) {
    __atomic_store_n(&__kthread_woken[(unsigned long)task & 63], 1, __ATOMIC_RELEASE);
}
static inline void *__kthread_begin(void *given) {
    struct __kthread_given *mine = given;
    __litmus_await(__atomic_load_n(&__kthread_woken[__litmus_self() & 63], __ATOMIC_ACQUIRE));
    return (void *)(long)mine->f(mine->data);
}
static inline struct task_struct *__kthread_create(int (*f)(void *), void *data) {
    struct __kthread_given *given = &__kthread_given[__atomic_fetch_add(&__kthread_created, 1, __ATOMIC_RELAXED) & 63];
    unsigned long task;
    given->f = f;
    given->data = data;
    __litmus_spawn(&task, __kthread_begin, (void *)given);
    return (struct task_struct *)task;
}
#define kthread_create(f, data, ...) __kthread_create(f, (void *)(data))
#define kthread_create_on_node(f, data, node, ...) __kthread_create(f, (void *)(data))
#define kthread_bind(task, cpu) ((void)(task))
static inline int kthread_stop(struct task_struct *task) {
    if (__litmus_calls("kthread_should_stop"))
        __atomic_store_n(&__kthread_stopped[(unsigned long)task & 63], 1, __ATOMIC_RELAXED);
    return (int)(long)__litmus_join((unsigned long)task);
}
/* Who waits looks how often it was woken up before it looks at what it waits for. */
typedef struct wait_queue_head { unsigned int __woken; } wait_queue_head_t;
#define DECLARE_WAIT_QUEUE_HEAD(q) wait_queue_head_t q = { 0 }
#define init_waitqueue_head(q) ((void)((q)->__woken = 0))
#define wake_up(q) ((void)__atomic_fetch_add(&(q)->__woken, 1, __ATOMIC_RELEASE))
#define wake_up_all(q) wake_up(q)
#define wake_up_interruptible(q) wake_up(q)
#define wake_up_interruptible_all(q) wake_up(q)
#define wait_event(q, condition) \
    ({ for (;;) { \
        unsigned int __woken_before = __atomic_load_n(&(q).__woken, __ATOMIC_ACQUIRE); \
        if (condition) break; \
        __litmus_await(__atomic_load_n(&(q).__woken, __ATOMIC_ACQUIRE) != __woken_before); \
    } })
#define wait_event_interruptible(q, condition) ({ wait_event(q, condition); 0; })
#define wait_event_killable(q, condition) ({ wait_event(q, condition); 0; })
/* The time may be over before anything happens. */
#define wait_event_timeout(q, condition, t) \
    ({ long __left = 1; if (__litmus_nondet(0, 1)) __left = (condition) ? 1 : 0; else wait_event(q, condition); __left; })
#define wait_event_interruptible_timeout(q, condition, t) wait_event_timeout(q, condition, t)
#define HZ 100
#define jiffies 0UL
#define msecs_to_jiffies(n) ((n) / 10)
/* One of those that are there, if there are any. */
static inline bool __litmus_take(int *count) {
    int n = __atomic_load_n(count, __ATOMIC_ACQUIRE);
    while (n > 0)
        if (__atomic_compare_exchange_n(count, &n, n - 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) return 1;
    return 0;
}
struct semaphore { int count; };
#define __DEFINE_SEMAPHORE(s, n, ...) struct semaphore s = { n }
#define DEFINE_SEMAPHORE(...) __DEFINE_SEMAPHORE(__VA_ARGS__, 1)
#define sema_init(s, n) ((void)((s)->count = (n)))
static inline void up(struct semaphore *s) { __atomic_fetch_add(&s->count, 1, __ATOMIC_RELEASE); }
static inline void down(struct semaphore *s) {
    int n = __atomic_load_n(&s->count, __ATOMIC_ACQUIRE);
    __litmus_await(n > 0);
    __litmus_await(__atomic_compare_exchange_n(&s->count, &n, n - 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
}
#define down_interruptible(s) (down(s), 0)
#define down_killable(s) (down(s), 0)
static inline int down_trylock(struct semaphore *s) { return !__litmus_take(&s->count); }
struct completion { int done; };
#define DECLARE_COMPLETION(c) struct completion c = { 0 }
#define init_completion(c) ((void)((c)->done = 0))
#define reinit_completion(c) init_completion(c)
#define completion_done(c) (__atomic_load_n(&(c)->done, __ATOMIC_ACQUIRE) != 0)
static inline void complete_all(struct completion *c) { __atomic_store_n(&c->done, 0x3fffffff, __ATOMIC_RELEASE); }
static inline void complete(struct completion *c) { __atomic_fetch_add(&c->done, 1, __ATOMIC_RELEASE); }
static inline void wait_for_completion(struct completion *c) {
    int n = __atomic_load_n(&c->done, __ATOMIC_ACQUIRE);
    __litmus_await(n > 0);
    __litmus_await(__atomic_compare_exchange_n(&c->done, &n, n - 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
}
#define wait_for_completion_interruptible(c) (wait_for_completion(c), 0)
#define wait_for_completion_killable(c) (wait_for_completion(c), 0)
static inline bool try_wait_for_completion(struct completion *c) { return __litmus_take(&c->done); }
#define wait_for_completion_timeout(c, t) \
    (__litmus_nondet(0, 1) ? (unsigned long)try_wait_for_completion(c) : (wait_for_completion(c), 1UL))
#endif
