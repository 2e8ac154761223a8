/*
 * From version 6 on Landlock keeps a command's signals among its own processes. Below that the filter hands them over, and
 * here it is decided whether everything they would reach descends from us. The arguments are numbers that nobody else can
 * change meanwhile, and a process of another family lives under its number all the time, so the kernel may go on itself.
 */
#define _GNU_SOURCE
#include "launch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_DEPTH 4096

/* Whether a process descends from us; orphans do, since we are their subreaper. */
static bool is_descendant(pid_t pid)
{
	struct task task;
	for (int depth = 0; depth < MAX_DEPTH && pid > 1 && read_task(pid, &task); depth++) {
		if (task.parent == getpid()) return true;
		pid = task.parent;
	}
	return false;
}

static int judge_process(pid_t pid)
{
	if (is_descendant(pid)) return 0;
	struct task task;
	return read_task(pid, &task) ? EPERM : ESRCH;
}

/* A group lies within one session, and the command began with a session of its own: one member tells for all. */
static int judge_group(pid_t group)
{
	DIR *proc = opendir("/proc");
	if (proc == NULL) return EPERM;
	int verdict = ESRCH;
	for (struct dirent *entry; verdict == ESRCH && (entry = readdir(proc)) != NULL;) {
		struct task task;
		pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
		if (pid > 0 && read_task(pid, &task) && task.group == group) verdict = is_descendant(pid) ? 0 : EPERM;
	}
	closedir(proc);
	return verdict;
}

int judge_signal(const struct seccomp_notif *asked)
{
	pid_t pid = (pid_t)asked->data.args[0];
	if (asked->data.nr != SYS_kill) return pid > 0 ? judge_process(pid) : EINVAL;
	if (pid == 0) return 0; /* its own group */
	if (pid == -1) return EPERM; /* everybody */
	return pid > 0 ? judge_process(pid) : judge_group(-pid);
}
