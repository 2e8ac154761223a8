/*
 * --serve: starts launchers on behalf of a worker. A worker is a large process, and forking it copies its page tables,
 * which takes longer than most commands do and blocks the worker meanwhile. This process is small.
 *
 * V1 It ends when the worker closes the socket or dies; the launchers go on (W4).
 * V2 Every launcher gets the socket as well, to see whether the worker is gone (W2).
 * V3 Each request to start has one answer: how the launcher ended, or why it could not be started.
 *
 * A request is five numbers of 32 bits (kind, id, count of arguments, count of variables, size) and `size` bytes: the
 * arguments, then the environment, each ending with NUL. An answer is a line, "id exit signal errno size", and the `size`
 * bytes that the launcher wrote to stderr.
 */
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKER 3             /* where a launcher finds the socket */
#define MOST_BYTES (1 << 26) /* of a request: more than the kernel lets a command have */
#define MOST_STDERR 4096
#define OWN_ARGUMENTS 5

enum kind { START = 1, STOP = 2 };
struct request { uint32_t kind, id, arguments, variables, size; };

static struct launched { pid_t pid; uint32_t id; int err; } *launched;
static size_t launched_count, launched_room;
static struct { char *bytes; size_t size, room; } input;
static char own_pid[16], worker_fd[16];

static void *grow(void *memory, size_t size)
{
	void *more = realloc(memory, size);
	if (more == NULL) exit(70);
	return more;
}

static void answer(uint32_t id, int code, int by_signal, int problem, const char *text, size_t size)
{
	char line[128];
	int length = snprintf(line, sizeof line, "%u %d %d %d %zu\n", id, code, by_signal, problem, size);
	if (!write_all(1, line, (size_t)length) || !write_all(1, text, size)) exit(0); /* the worker is gone */
}

/* The launcher gets none of our signal handling, no input, no output, and the socket (V2). */
static int spawn_launcher(pid_t *pid, int err, char **arguments, char **variables)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	int problem = posix_spawn_file_actions_init(&files);
	if (problem == 0) problem = posix_spawn_file_actions_adddup2(&files, 0, WORKER);
	if (problem == 0) problem = posix_spawn_file_actions_adddup2(&files, err, 2);
	if (problem == 0) problem = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (problem == 0) problem = posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	if (problem == 0) problem = posix_spawnattr_init(&attributes);
	if (problem == 0) problem = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (problem == 0) problem = posix_spawnattr_setsigmask(&attributes, &none);
	if (problem == 0) problem = posix_spawnattr_setsigdefault(&attributes, &all);
	if (problem == 0) problem = posix_spawn(pid, arguments[0], &files, &attributes, arguments, variables);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return problem;
}

static void start_launcher(uint32_t id, char **arguments, char **variables)
{
	int err[2];
	struct launched next = { .id = id };
	if (pipe2(err, O_CLOEXEC | O_NONBLOCK) != 0) return answer(id, -1, 0, errno, "", 0);
	int problem = spawn_launcher(&next.pid, err[1], arguments, variables);
	close(err[1]);
	next.err = err[0];
	if (problem != 0) {
		close(err[0]);
		return answer(id, -1, 0, problem, "", 0);
	}
	if (launched_count == launched_room)
		launched = grow(launched, (launched_room = launched_room * 2 + 16) * sizeof *launched);
	launched[launched_count++] = next;
}

/* Splits the strings of a request behind our own arguments; the worker is trusted, its numbers are checked all the same. */
static void start_requested(const char *self, const struct request *request, char *text)
{
	size_t strings = (size_t)request->arguments + request->variables;
	if (strings > request->size || (request->size > 0 && text[request->size - 1] != '\0')) exit(64);
	char **list = grow(NULL, (OWN_ARGUMENTS + strings + 2) * sizeof *list), **next = list + OWN_ARGUMENTS;
	char *own[OWN_ARGUMENTS] = { (char *)self, "--parent", own_pid, "--worker", worker_fd };
	memcpy(list, own, sizeof own);
	char *end = text + request->size;
	for (size_t i = 0; i < strings; i++, text += strlen(text) + 1) {
		if (text >= end) exit(64);
		if (i == request->arguments) *next++ = NULL;
		*next++ = text;
	}
	if (request->variables == 0) *next++ = NULL;
	*next = NULL;
	start_launcher(request->id, list, list + OWN_ARGUMENTS + request->arguments + 1);
	free(list);
}

/* Until it is reaped its number is nobody else's. */
static void stop_launcher(uint32_t id)
{
	for (size_t i = 0; i < launched_count; i++)
		if (launched[i].id == id) kill(launched[i].pid, SIGTERM);
}

static void reap_launchers(void)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		for (size_t i = 0; i < launched_count; i++) {
			if (launched[i].pid != pid) continue;
			char text[MOST_STDERR];
			ssize_t size = read(launched[i].err, text, sizeof text);
			close(launched[i].err);
			answer(launched[i].id, WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, 0,
			       text, size < 0 ? 0 : (size_t)size);
			launched[i] = launched[--launched_count];
			break;
		}
}

/* Carries out every request that is complete. */
static void carry_out_requests(const char *self)
{
	size_t done = 0;
	for (struct request request; input.size - done >= sizeof request; done += sizeof request + request.size) {
		memcpy(&request, input.bytes + done, sizeof request);
		if (request.size > MOST_BYTES) exit(64);
		if (input.size - done - sizeof request < request.size) break;
		if (request.kind == START) start_requested(self, &request, input.bytes + done + sizeof request);
		else if (request.kind == STOP) stop_launcher(request.id);
		else exit(64);
	}
	memmove(input.bytes, input.bytes + done, input.size - done);
	input.size -= done;
}

/* False when the worker is gone (V1). */
static bool read_requests(void)
{
	if (input.room - input.size < 65536) input.bytes = grow(input.bytes, input.room = input.room * 2 + 131072);
	ssize_t size = read(0, input.bytes + input.size, input.room - input.size);
	if (size < 0) return errno == EINTR || errno == EAGAIN;
	input.size += (size_t)size;
	return size > 0;
}

/* A signal to the whole group of the worker is for the worker to act upon. */
static int prepare_signals(void)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE };
	sigset_t ended;
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	return sigprocmask(SIG_BLOCK, &ended, NULL) == 0 ? signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
}

int serve(const char *self)
{
	snprintf(own_pid, sizeof own_pid, "%d", getpid());
	snprintf(worker_fd, sizeof worker_fd, "%d", WORKER);
	/* the number of the socket must be free for the launchers, and nothing else may reach them */
	int signals = prepare_signals();
	if (signals < 0 || close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return 70;
	for (;;) {
		struct pollfd sources[] = { { 0, POLLIN, 0 }, { signals, POLLIN, 0 } };
		if (poll(sources, 2, -1) < 0 && errno != EINTR) return 70;
		if (sources[1].revents != 0) {
			struct signalfd_siginfo ignored;
			while (read(signals, &ignored, sizeof ignored) == sizeof ignored) continue;
			reap_launchers();
		}
		if (sources[0].revents == 0) continue;
		if (!read_requests()) return 0;
		carry_out_requests(self);
	}
}
