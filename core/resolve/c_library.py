"""Names of the C library: outside the repository unless it defines them."""

from __future__ import annotations

_LIBC_TEXT = """
abort abs accept access assert atexit atoi atol bind bsearch calloc ceil clock close connect cos
exit exp fabs fclose feof ferror fflush fgetc fgets floor fopen fork fprintf fputc fputs fread
free fscanf fseek fstat ftell fwrite getc getchar getenv getline gettimeofday htonl htons
inet_ntop inet_pton ioctl isalnum isalpha isatty isdigit islower isprint isspace isupper
isxdigit kill labs listen localtime log lseek malloc memchr memcmp memcpy memmove memset mkdir
mktime mmap munmap nanosleep ntohl ntohs open opendir perror pipe poll pow printf pthread_create
pthread_join pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock putc putchar puts qsort
raise rand random read readdir realloc recv recvfrom remove rename rewind rmdir scanf select
send sendto setenv setsockopt shutdown sigaction signal sin sleep snprintf socket sprintf sqrt
srand sscanf stat strcasecmp strcat strchr strcmp strcpy strcspn strdup strerror strftime strlen
strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr strtod strtok
strtol strtoll strtoul strtoull system tan time tolower toupper ungetc unlink usleep va_arg
va_copy va_end va_start vfprintf vprintf vsnprintf vsprintf wait waitpid write
"""
LIBC = frozenset(_LIBC_TEXT.split())
