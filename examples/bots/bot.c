/* A bot in C: any legal action, each as likely as the others. See docs/bots.md.
   cc -O2 -o bot examples/bots/bot.c */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    unsigned long long chance = 0;
    while (getline(&line, &size, stdin) > 0) {
        char *seed = strstr(line, "\"seed\":");
        char *legal = strstr(line, "\"legal\":[");
        if (strncmp(line, "{\"type\":\"game\"", 14) == 0 && seed) {
            chance = strtoull(seed + 7, NULL, 10);
        } else if (strncmp(line, "{\"type\":\"move\"", 14) == 0 && legal) {
            int count = 1;
            char *place = legal + 9;
            for (char *letter = place; *letter != ']'; letter++)
                count += *letter == ',';
            chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
            for (int skipped = (int)((chance >> 33) % count); skipped > 0; skipped--)
                place = strchr(place, ',') + 1;
            printf("{\"action\": %ld}\n", strtol(place, NULL, 10));
            fflush(stdout);
        }
    }
    free(line);
    return 0;
}
