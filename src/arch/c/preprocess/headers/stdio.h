#include <stdarg.h>
#include <stddef.h>
typedef struct { int __file; } FILE;
static FILE *stdin, *stdout, *stderr;
#define EOF (-1)
#define printf(...) __litmus_print(__VA_ARGS__)
#define fprintf(f, ...) __litmus_print(__VA_ARGS__)
#define puts(s) __litmus_print("%s\n", s)
#define putchar(c) __litmus_print("%c", c)
#define perror(s) ((void)__litmus_print("%s\n", s))
#define fflush(f) 0
#define fputs(s, f) __litmus_print("%s", s)
#define putc(c, f) __litmus_print("%c", c)
#define fputc(c, f) __litmus_print("%c", c)
#define vprintf(format, list) ((void)(list), 0)
#define vfprintf(f, format, list) ((void)(list), 0)
#define setbuf(f, buffer) ((void)0)
#define setvbuf(f, buffer, mode, n) 0
#define _IONBF 2
/* Numbers, characters and strings into memory: what programs make names and keys of. */
static inline int vsnprintf(char *to, size_t n, const char *format, va_list list) {
    size_t at = 0;
    for (; *format; format++) {
        if (*format != '%' || *++format == '%') {
            if (at + 1 < n) to[at] = *format;
            at++;
            continue;
        }
        int zeros = *format == '0', width = 0, wide = 0, negative = 0, count = 0;
        while (*format >= '0' && *format <= '9') width = 10 * width + (*format++ - '0');
        while (*format == 'l' || *format == 'z' || *format == 'j') { wide = 1; format++; }
        char digits[24];
        const char *text = digits;
        if (*format == 's') {
            text = va_arg(list, const char *);
            while (text[count]) count++;
        } else if (*format == 'c') {
            digits[count++] = (char)va_arg(list, int);
        } else {
            int kind = *format, base = kind == 'x' ? 16 : kind == 'o' ? 8 : 10;
            __litmus_assert(kind == 'd' || kind == 'i' || kind == 'u' || base != 10, "snprintf writes numbers, characters and strings");
            unsigned long value;
            if (kind == 'd' || kind == 'i') {
                long number = wide ? va_arg(list, long) : va_arg(list, int);
                negative = number < 0;
                value = negative ? -(unsigned long)number : number;
            } else {
                value = wide ? va_arg(list, unsigned long) : va_arg(list, unsigned);
            }
            unsigned long rest = value;
            do count++; while (rest /= base);
            for (int left = count; left > 0; value /= base) digits[--left] = "0123456789abcdef"[value % base];
        }
        if (negative && zeros) { if (at + 1 < n) to[at] = '-'; at++; }
        for (int left = width - count - negative; left > 0; left--) { if (at + 1 < n) to[at] = zeros ? '0' : ' '; at++; }
        if (negative && !zeros) { if (at + 1 < n) to[at] = '-'; at++; }
        for (int left = 0; left < count; left++) { if (at + 1 < n) to[at] = text[left]; at++; }
    }
    if (n) to[at < n ? at : n - 1] = 0;
    return (int)at;
}
static inline int snprintf(char *to, size_t n, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int written = vsnprintf(to, n, format, list);
    va_end(list);
    return written;
}
static inline int sprintf(char *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int written = vsnprintf(to, (size_t)-1, format, list);
    va_end(list);
    return written;
}
