#include "launch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_TASKS 65536
#define MOST_PIDS (1 << 22) /* the kernel's own limit */
#define PATIENCE_MS 5000

static struct task tasks[MOST_TASKS];
static bool is_family[MOST_PIDS];

int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool read_task(pid_t pid, struct task *task)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) return false;
	ssize_t size = read(file, text, sizeof text - 1);
	close(file);
	if (size <= 0) return false;
	text[size] = '\0';
	/* the name between the brackets may hold anything, brackets and blanks included */
	const char *behind = strrchr(text, ')');
	task->pid = pid;
	return behind != NULL && sscanf(behind, ") %c %d %d", &task->state, &task->parent, &task->group) == 3 &&
	       pid < MOST_PIDS && task->parent >= 0 && task->parent < MOST_PIDS;
}

static size_t read_tasks(void)
{
	size_t count = 0;
	DIR *proc = opendir("/proc");
	if (proc == NULL) return 0;
	for (struct dirent *entry; count < MOST_TASKS && (entry = readdir(proc)) != NULL;)
		if (isdigit((unsigned char)entry->d_name[0]) && read_task(atoi(entry->d_name), &tasks[count])) count++;
	closedir(proc);
	return count;
}

/* Moves the living descendants to the front of `tasks` and counts them. Orphans are ours: we are their subreaper. */
static size_t find_family(void)
{
	size_t count = read_tasks(), members = 0;
	is_family[getpid()] = true;
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t i = members; i < count; i++) {
			if (!is_family[tasks[i].parent] || tasks[i].pid == getpid()) continue;
			struct task member = tasks[i];
			tasks[i] = tasks[members];
			tasks[members++] = member;
			grew = is_family[member.pid] = true;
		}
	}
	for (size_t i = 0; i < members; i++) is_family[tasks[i].pid] = false;
	return members;
}

void signal_family(int signal)
{
	size_t count = find_family();
	for (size_t i = 0; i < count; i++) kill(tasks[i].pid, signal);
}

/* What is stopped cannot fork: once everything found is stopped already, nothing can be missed by the kill. */
static void stop_family(int64_t deadline)
{
	for (bool moving = true; moving && now_ms() < deadline;) {
		moving = false;
		size_t count = find_family();
		for (size_t i = 0; i < count; i++) {
			if (strchr("TZX", tasks[i].state) != NULL) continue;
			kill(tasks[i].pid, SIGSTOP);
			moving = true;
		}
	}
}

bool reap(pid_t command, int *status)
{
	for (;;) {
		int ended;
		pid_t pid = waitpid(-1, &ended, WNOHANG);
		if (pid == command) *status = ended;
		if (pid == 0) return false;
		if (pid < 0 && errno != EINTR) return true;
	}
}

bool destroy_family(pid_t command, int *status)
{
	int64_t deadline = now_ms() + PATIENCE_MS;
	while (!reap(command, status)) {
		if (now_ms() > deadline) return false;
		stop_family(now_ms() + PATIENCE_MS / 10);
		signal_family(SIGKILL);
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	}
	return true;
}
