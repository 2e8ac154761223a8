/*
 * The mark of a desk: a number in the limit on file locks, which the kernel itself has ignored since Linux 2.4. Every process
 * that a command starts inherits it, nobody can raise a hard limit, and in the jail the filter refuses to lower it: so a
 * process is known by it whatever it does with its environment, its session and its parents.
 *
 * M1 A launcher has the mark as its soft limit only, a command as both limits: no command can look like a launcher.
 * M2 A launcher ends whatever its command started. So only what has the mark and no launcher above it is left over: its
 *    launcher was killed.
 */
#define _GNU_SOURCE
#include "launch.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_DEPTH 4096
#define PATIENCE_MS 5000

/* Within a jail of another launcher it fails: what starts here is that one's to end. */
static void set_mark(int64_t mark, bool hard)
{
	struct rlimit now;
	if (mark <= 0 || getrlimit(RLIMIT_LOCKS, &now) != 0 || now.rlim_max < (rlim_t)mark) return;
	now.rlim_cur = (rlim_t)mark;
	if (hard) now.rlim_max = (rlim_t)mark;
	(void)setrlimit(RLIMIT_LOCKS, &now);
}

void mark_launcher(int64_t mark)
{
	set_mark(mark, false);
}

void mark_command(int64_t mark)
{
	set_mark(mark, true);
}

enum role { STRANGER, LAUNCHER, COMMAND };

static enum role role_of(pid_t pid, int64_t mark)
{
	char path[64], text[4096], soft[32], hard[32], wanted[32];
	snprintf(path, sizeof path, "/proc/%d/limits", pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) return STRANGER;
	ssize_t size = read(file, text, sizeof text - 1);
	close(file);
	text[size < 0 ? 0 : size] = '\0';
	const char *line = strstr(text, "Max file locks");
	snprintf(wanted, sizeof wanted, "%" PRId64, mark);
	if (line == NULL || sscanf(line, "Max file locks %31s %31s", soft, hard) != 2 || strcmp(soft, wanted) != 0) return STRANGER;
	return strcmp(hard, wanted) == 0 ? COMMAND : LAUNCHER;
}

/* Whether a command's process has no launcher above it any more (M2). */
static bool is_left_over(pid_t pid, int64_t mark)
{
	struct task task;
	if (role_of(pid, mark) != COMMAND) return false;
	for (int depth = 0; depth < MAX_DEPTH && pid > 1 && read_task(pid, &task); depth++) {
		if (role_of(task.parent, mark) == LAUNCHER) return false;
		pid = task.parent;
	}
	return true;
}

/* By a descriptor, so that the process that is signalled is the one that was examined. Whether it was signalled. */
static bool signal_leftover(pid_t pid, int64_t mark, int signal)
{
	struct task task;
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process < 0) return false;
	bool is_due = is_left_over(pid, mark) && read_task(pid, &task) && strchr("ZX", task.state) == NULL;
	if (is_due) syscall(SYS_pidfd_send_signal, process, signal, NULL, 0);
	close(process);
	return is_due;
}

static int signal_leftovers(int64_t mark, int signal)
{
	int count = 0;
	DIR *proc = opendir("/proc");
	if (proc == NULL) return 0;
	for (struct dirent *entry; (entry = readdir(proc)) != NULL;)
		if (isdigit((unsigned char)entry->d_name[0]) && signal_leftover(atoi(entry->d_name), mark, signal)) count++;
	closedir(proc);
	return count;
}

/* What is stopped cannot fork, so that the kill misses nothing. */
int end_leftovers(int64_t mark)
{
	int64_t deadline = now_ms() + PATIENCE_MS;
	int most = 0;
	for (int count; (count = signal_leftovers(mark, SIGSTOP)) > 0;) {
		if (count > most) most = count;
		if (now_ms() > deadline) return -1;
		signal_leftovers(mark, SIGKILL);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
	return most;
}
