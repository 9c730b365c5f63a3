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
/* What is written by a conversion that is not here is not known: whoever comes to one has come to a bound. */
static inline void __conversion_not_supported(void) { __conversion_not_supported(); }
/* Numbers, characters and strings into memory: what programs make names and keys of. */
static inline int vsnprintf(char *to, size_t n, const char *format, va_list list) {
    size_t at = 0;
    for (; *format; format++) {
        if (*format != '%' || *++format == '%') {
            if (at + 1 < n) to[at] = *format;
            at++;
            continue;
        }
        int zeros = 0, left = 0, width = 0, places = -1, wide = 0, count = 0;
        char sign = 0;
        for (;; format++) {
            if (*format == '0') zeros = 1;
            else if (*format == '-') left = 1;
            else if (*format == '+') sign = '+';
            else if (*format == ' ') sign = sign ? sign : ' ';
            else break;
        }
        if (*format == '*') { width = va_arg(list, int); format++; }
        while (*format >= '0' && *format <= '9') width = 10 * width + (*format++ - '0');
        if (*format == '.') {
            places = 0;
            format++;
            if (*format == '*') { places = va_arg(list, int); format++; }
            while (*format >= '0' && *format <= '9') places = 10 * places + (*format++ - '0');
        }
        for (;; format++) {
            if (*format == 'l' || *format == 'z' || *format == 'j' || *format == 't') wide = 1;
            else if (*format == 'h') wide--;
            else break;
        }
        char digits[48];
        const char *text = digits;
        int kind = *format;
        if (kind == 's') {
            text = va_arg(list, const char *);
            while (count != places && text[count]) count++;
            zeros = sign = 0;
        } else if (kind == 'c') {
            digits[count++] = (char)va_arg(list, int);
            zeros = sign = 0;
        } else if (kind == 'd' || kind == 'i' || kind == 'u' || kind == 'x' || kind == 'X' || kind == 'o') {
            unsigned long value;
            int base = kind == 'x' || kind == 'X' ? 16 : kind == 'o' ? 8 : 10;
            if (kind == 'd' || kind == 'i') {
                long number = wide > 0 ? va_arg(list, long) : va_arg(list, int);
                if (wide == -1) number = (short)number;
                if (wide == -2) number = (signed char)number;
                if (number < 0) sign = '-';
                value = number < 0 ? -(unsigned long)number : number;
            } else {
                value = wide > 0 ? va_arg(list, unsigned long) : va_arg(list, unsigned);
                if (wide == -1) value = (unsigned short)value;
                if (wide == -2) value = (unsigned char)value;
                sign = 0;
            }
            unsigned long rest = value;
            if (value || places) do count++; while (rest /= base);
            if (places >= 0) zeros = 0;
            if (count < places && places < 40) count = places;
            const char *names = kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
            for (int next = count; next > 0; value /= base) digits[--next] = names[value % base];
        } else if ((kind == 'f' || kind == 'F') && places < 10) {
            double number = va_arg(list, double);
            if (number < 0) { sign = '-'; number = -number; }
            if (places < 0) places = 6;
            double scale = 1;
            for (int next = 0; next < places; next++) scale *= 10;
            if (!(number * scale < 1e15)) __conversion_not_supported();
            unsigned long value = (unsigned long)(number * scale), whole = 1;
            double half = number * scale - (double)value;
            /* What the product has lost (Dekker): a half may be a little more, or less. */
            double high = number * 134217729.0, upper = scale * 134217729.0;
            high = high - (high - number);
            upper = upper - (upper - scale);
            double low = number - high, lower = scale - upper;
            double lost = ((high * upper - number * scale) + high * lower + low * upper) + low * lower;
            if (half > 0.5 || (half == 0.5 && (lost > 0 || (lost == 0 && value % 2)))) value++;
            for (unsigned long rest = value; rest /= 10;) whole++;
            count = ((int)whole > places ? (int)whole : places + 1) + (places > 0);
            for (int next = count; next > 0; value /= 10) {
                if (places && next == count - places) digits[--next] = '.';
                digits[--next] = '0' + (int)(value % 10);
            }
        } else {
            __conversion_not_supported();
        }
        int space = width - count - (sign != 0);
        if (!left && !zeros) for (; space > 0; space--) { if (at + 1 < n) to[at] = ' '; at++; }
        if (sign) { if (at + 1 < n) to[at] = sign; at++; }
        if (!left) for (; space > 0; space--) { if (at + 1 < n) to[at] = '0'; at++; }
        for (int next = 0; next < count; next++) { if (at + 1 < n) to[at] = text[next]; at++; }
        for (; space > 0; space--) { if (at + 1 < n) to[at] = ' '; at++; }
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
