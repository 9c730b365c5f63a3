#include <stdarg.h>
#include <stddef.h>
typedef struct { int __file; } FILE;
static FILE __files[4];
static FILE *stdin = &__files[0], *stdout = &__files[1], *stderr = &__files[2];
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
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define BUFSIZ 1024
#define FILENAME_MAX 4096
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define dprintf(f, ...) __litmus_print(__VA_ARGS__)
#define flockfile(f) ((void)0)
#define funlockfile(f) ((void)0)
/* A string that is printed is read, so many characters of it at most. */
static inline void __printed(const char *s, long most) { while (most-- && *s) s++; }
static inline int (fprintf)(FILE *f, const char *format, ...) { return 0; }
static inline int (vprintf)(const char *format, va_list list) { return 0; }
static inline int (vfprintf)(FILE *f, const char *format, va_list list) { return 0; }
static inline int (fflush)(FILE *f) { return 0; }
static inline int (puts)(const char *s) { __printed(s, -1); return 0; }
static inline int (fputs)(const char *s, FILE *f) { __printed(s, -1); return 0; }
static inline int (putchar)(int c) { return c; }
static inline int (putc)(int c, FILE *f) { return c; }
static inline int (fputc)(int c, FILE *f) { return c; }
static inline void (perror)(const char *s) { }
static inline void (setbuf)(FILE *f, char *buffer) { }
static inline int (setvbuf)(FILE *f, char *buffer, int mode, size_t n) { return 0; }
/* Files are there or not, and nobody knows what is in them: what is read is any number, and any text of up to three characters. */
static inline FILE *fopen(const char *path, const char *mode) { return __litmus_nondet(0, 1) ? &__files[3] : 0; }
static inline FILE *fdopen(int file, const char *mode) { return &__files[3]; }
static inline FILE *fmemopen(void *buffer, size_t n, const char *mode) { return __litmus_nondet(0, 1) ? &__files[3] : 0; }
static inline FILE *tmpfile(void) { return __litmus_nondet(0, 1) ? &__files[3] : 0; }
static inline int fclose(FILE *f) { return 0; }
static inline int fileno(FILE *f) { return (int)(f - __files); }
static inline int feof(FILE *f) { return __litmus_nondet(0, 1); }
static inline int ferror(FILE *f) { return 0; }
static inline void clearerr(FILE *f) { }
static inline void rewind(FILE *f) { }
static inline int fseek(FILE *f, long at, int from) { return 0; }
static inline long ftell(FILE *f) { return __VERIFIER_nondet_int(); }
static inline int remove(const char *path) { return -__litmus_nondet(0, 1); }
static inline int rename(const char *from, const char *to) { return -__litmus_nondet(0, 1); }
#define getchar() __litmus_any(-1, 255)
#define getc(f) __litmus_any(-1, 255)
#define fgetc(f) __litmus_any(-1, 255)
static inline int (getchar)(void) { return getchar(); }
static inline int (getc)(FILE *f) { return getc(f); }
static inline int (fgetc)(FILE *f) { return fgetc(f); }
static inline int ungetc(int c, FILE *f) { return c; }
static inline size_t __given(char *to, size_t most) {
    size_t n = __litmus_nondet(0, 3);
    if (n > most) n = most;
    for (size_t at = 0; at < n; at++) to[at] = __litmus_any(1, 127);
    return n;
}
static inline char *fgets(char *to, int n, FILE *f) {
    if (n <= 0 || __litmus_nondet(0, 1)) return 0;
    to[__given(to, n - 1)] = 0;
    return to;
}
static inline size_t fread(void *to, size_t size, size_t n, FILE *f) {
    size_t given = __given(to, size * n);
    return size ? given / size : 0;
}
static inline size_t fwrite(const void *from, size_t size, size_t n, FILE *f) {
    const char *bytes = from;
    for (size_t at = 0; at < size * n; at++) (void)bytes[at];
    return n;
}
static inline long getline(char **line, size_t *n, FILE *f) {
    if (__litmus_nondet(0, 1)) return -1;
    if (!*line || *n < 4) { *line = __litmus_realloc(*line, 4); *n = 4; }
    size_t given = __given(*line, 3);
    (*line)[given] = 0;
    return (long)given;
}
/* The input may end at any place, and be what a conversion does not take. */
static inline int __scanned(const char *format, va_list list) {
    int done = 0;
    for (; *format; format++) {
        if (*format != '%') continue;
        if (*++format == '%') continue;
        int skips = 0, width = 0, wide = 0;
        if (*format == '*') { skips = 1; format++; }
        while (*format >= '0' && *format <= '9') width = 10 * width + (*format++ - '0');
        for (;; format++) {
            if (*format == 'l' || *format == 'z' || *format == 'j' || *format == 't') wide = 1;
            else if (*format == 'h') wide--;
            else break;
        }
        if (__litmus_nondet(0, 1)) return done ? done : -__litmus_nondet(0, 1);
        int kind = *format;
        if (kind == '[') {
            format++;
            if (*format == '^') format++;
            while (*++format != ']') ;
            kind = 's';
        }
        if (skips) continue;
        if (kind == 's') {
            char *to = va_arg(list, char *);
            to[__given(to, width ? width : 3)] = 0;
        } else if (kind == 'c') {
            *va_arg(list, char *) = __VERIFIER_nondet_char();
        } else if (kind == 'f' || kind == 'g' || kind == 'e') {
            if (wide > 0) *va_arg(list, double *) = __VERIFIER_nondet_int();
            else *va_arg(list, float *) = __VERIFIER_nondet_int();
        } else if (wide > 0) *va_arg(list, long *) = __VERIFIER_nondet_long();
        else if (wide == 0) *va_arg(list, int *) = __VERIFIER_nondet_int();
        else if (wide == -1) *va_arg(list, short *) = __VERIFIER_nondet_short();
        else *va_arg(list, char *) = __VERIFIER_nondet_char();
        done++;
    }
    return done;
}
static inline int vscanf(const char *format, va_list list) { return __scanned(format, list); }
static inline int vfscanf(FILE *f, const char *format, va_list list) { return __scanned(format, list); }
static inline int vsscanf(const char *from, const char *format, va_list list) { return __scanned(format, list); }
static inline int scanf(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int done = __scanned(format, list);
    va_end(list);
    return done;
}
static inline int fscanf(FILE *f, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int done = __scanned(format, list);
    va_end(list);
    return done;
}
/* What stands in the text is not looked at: any number. */
static inline int sscanf(const char *from, const char *format, ...) {
    va_list list;
    va_start(list, format);
    __printed(from, -1);
    int done = __scanned(format, list);
    va_end(list);
    return done;
}
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
