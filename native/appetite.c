/*
 * The kernel limits the memory of one process; a command may start many. So now and then the launcher adds up what all of
 * them hold. Only memory that is theirs counts: anonymous and shared pages, not files that the kernel could drop.
 */
#define _GNU_SOURCE
#include "launch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MEMBERS 65536

static pid_t members[MAX_MEMBERS];

static ssize_t read_text(const char *name, char *into, size_t size)
{
	int file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0) return -1;
	ssize_t length = read(file, into, size - 1);
	close(file);
	into[length > 0 ? length : 0] = '\0';
	return length;
}

static size_t add_children_of_thread(pid_t pid, const char *thread, size_t count)
{
	static char text[1 << 16];
	char name[96];
	snprintf(name, sizeof name, "/proc/%d/task/%.20s/children", pid, thread);
	if (read_text(name, text, sizeof text) <= 0) return count;
	for (char *rest = text, *end; count < MAX_MEMBERS; rest = end) {
		long child = strtol(rest, &end, 10);
		if (end == rest) break;
		members[count++] = (pid_t)child;
	}
	return count;
}

/* Adds the children of a process to the members. Each thread has children of its own. */
static size_t add_children(pid_t pid, size_t count)
{
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/task", pid);
	DIR *threads = opendir(name);
	if (threads == NULL) return count;
	for (struct dirent *entry; (entry = readdir(threads)) != NULL;)
		if (entry->d_name[0] != '.') count = add_children_of_thread(pid, entry->d_name, count);
	closedir(threads);
	return count;
}

/* Orphans are children of ours: we are their subreaper. */
static size_t find_members(void)
{
	size_t count = add_children(getpid(), 0);
	for (size_t i = 0; i < count; i++) count = add_children(members[i], count);
	return count;
}

static int64_t kilobytes_in(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	return line == NULL ? 0 : strtoll(line + strlen(name), NULL, 10);
}

static int64_t memory_of(pid_t pid)
{
	char name[64], text[4096];
	snprintf(name, sizeof name, "/proc/%d/status", pid);
	if (read_text(name, text, sizeof text) <= 0) return 0;
	return (kilobytes_in(text, "\nRssAnon:") + kilobytes_in(text, "\nRssShmem:")) * 1024;
}

/* Pages that several processes share count once here; asked for only when the quick sum is too much. */
static int64_t exact_memory_of(pid_t pid)
{
	char name[64], text[4096];
	snprintf(name, sizeof name, "/proc/%d/smaps_rollup", pid);
	if (read_text(name, text, sizeof text) <= 0) return memory_of(pid);
	return (kilobytes_in(text, "\nPss_Anon:") + kilobytes_in(text, "\nPss_Shmem:")) * 1024;
}

static int64_t sum_over(size_t count, int64_t (*of)(pid_t))
{
	int64_t sum = 0;
	for (size_t i = 0; i < count; i++) sum += of(members[i]);
	return sum;
}

const char *exceeded_limit(const struct rights *rights)
{
	size_t count = find_members();
	if (rights->processes >= 0 && (int64_t)count > rights->processes) return "too-many-processes";
	if (rights->memory_bytes < 0 || sum_over(count, memory_of) <= rights->memory_bytes) return NULL;
	return sum_over(count, exact_memory_of) > rights->memory_bytes ? "out-of-memory" : NULL;
}
