/*
 * RESULT.tmp is the ticket: an empty file that the worker makes before it starts us, and that becomes RESULT.
 *
 * W1 The lock on the ticket is held from before the command starts until RESULT is there: it cannot be running
 *    unlocked, nor be locked and over. The lock is the kernel's and dies with this process.
 * W2 The command does not start when the worker is gone already: a worker that looks for the lock sees it, or nothing runs.
 *    Whoever started us (--parent) and the other end of the worker's socket (--worker) have to be there.
 * W3 When this process ends, nothing that the command started is alive.
 * W4 It goes on without the worker: in a session of its own, with the time limit and the output in its own hands.
 * W5 Without an empty ticket under its name nothing is started, and the ticket is empty no more before the command
 *    starts. So whoever has the lock and finds it empty knows that nothing began, and removes it: then nothing can.
 * W7 With --pipe the command has our stdin, stdout and stderr, and there is no ticket and no result: whoever started us talks
 *    to it, and it ends when that one is gone or closes its side. It gets a moment to end by itself first.
 * W6 A writing command has the lock of the desk (--lock) from before it starts until RESULT is there: two of them never run
 *    at the same time, whatever became of their workers.
 */
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINGER_MS 300 /* how long output may still come when the command has ended, as from `cmd > >(tee log)` */
#define LOOK_FOR_SPACE_MS 1000
#define GRACE_MS 300  /* between SIGTERM and SIGKILL */
#define HANGUP_MS 1500 /* how long a command with --pipe may take to end by itself when nobody talks to it any more */
#define MEASURE_MS 100 /* between two measurements of memory and processes */

static struct rights rights = { .file_bytes = -1, .cpu_seconds = -1, .open_files = -1, .processes = -1, .memory_bytes = -1 };
static const char *result_name, *await_name, *lock_name, *free_name, *folder, *show_name;
static bool piped; /* W7 */
static int worker = -1; /* a socket whose other end the worker has */
static int64_t leftovers, parent, timeout_ms = INT64_MAX / 2, output_limit = 1 << 20;
static char temporary_name[PATH_MAX];

/* How far the end has come. */
enum phase { RUNNING, LINGERING, ENDING, OVER };

static struct step {
	struct started command;
	int status, signals, file;
	enum phase phase;
	const char *how; /* itself, stopped, timed-out, out-of-memory, too-many-processes or unstarted */
	int64_t begun, deadline, measured;
	struct output out, err;
} step = { .how = "itself", .out.fd = -1, .err.fd = -1 };

/* 70: nothing was started; 74: it was, and what came of it cannot be told. */
static void fail(const char *what)
{
	fprintf(stderr, "oka-launch: %s: %s\n", what, strerror(errno));
	exit(step.command.pid > 0 ? 74 : 70);
}

static void misuse(const char *what, const char *value)
{
	fprintf(stderr, "oka-launch: %s: %s\n", what, value);
	exit(64);
}

static int64_t number(const char *text, int64_t most)
{
	char *end;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || value < 0 || value > most) misuse("not a number in range", text);
	return value;
}

static void add_path(enum right right, const char *path)
{
	bool exact = *path == '=';
	if (exact) path++;
	if (path[0] != '/') misuse("not an absolute path", path);
	if (rights.paths == MAX_PATHS) misuse("too many paths", path);
	rights.path[rights.paths].right = right;
	rights.path[rights.paths].exact = exact;
	rights.path[rights.paths++].path = path;
}

static void add_port(const char *text)
{
	if (rights.ports == MAX_PORTS) misuse("too many ports", text);
	rights.port[rights.ports++] = (uint16_t)number(text, UINT16_MAX);
}

static void add_peer(const char *text)
{
	if (rights.peers == MAX_PORTS) misuse("too many addresses", text);
	if (!parse_peer(text, &rights.peer[rights.peers++])) misuse("not an address and a port", text);
}

static void print_offer(void)
{
	printf("{\"landlock\":%d,\"seccomp\":%s}\n", landlock_abi(), seccomp_there() ? "true" : "false");
	exit(fflush(stdout) == 0 ? 0 : 70);
}

static void read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "probe", 0, 0, 'P' }, { "await", 1, 0, 'A' }, { "result", 1, 0, 'R' }, { "parent", 1, 0, 'q' },
		{ "serve", 0, 0, 'S' }, { "worker", 1, 0, 'W' }, { "pipe", 0, 0, 'I' }, { "written", 0, 0, 'N' },
		{ "cwd", 1, 0, 'C' }, { "timeout-ms", 1, 0, 't' }, { "output", 1, 0, 'o' }, { "show", 1, 0, 's' }, { "open", 0, 0, 'O' },
		{ "read", 1, 0, 'r' }, { "run", 1, 0, 'x' }, { "device", 1, 0, 'd' }, { "write", 1, 0, 'w' },
		{ "port", 1, 0, 'p' }, { "connect", 1, 0, 'k' }, { "file-bytes", 1, 0, 'f' }, { "cpu-seconds", 1, 0, 'c' }, { "open-files", 1, 0, 'n' },
		{ "lock", 1, 0, 'l' }, { "await-lock", 1, 0, 'F' }, { "mark", 1, 0, 'M' }, { "end-leftovers", 1, 0, 'E' },
		{ "processes", 1, 0, 'u' }, { "memory-bytes", 1, 0, 'm' }, { "landlock-at-most", 1, 0, 'L' }, { 0, 0, 0, 0 },
	};
	for (int option; (option = getopt_long(argc, argv, "+", known, NULL)) != -1;) {
		switch (option) {
		case 'P': print_offer(); break;
		case 'S': exit(serve(argv[0])); break;
		case 'W': worker = (int)number(optarg, INT_MAX); break;
		case 'I': piped = true; break;
		case 'N': exit(print_written(argv + optind)); break;
		case 'A': await_name = optarg; break;
		case 'R': result_name = optarg; break;
		case 'q': parent = number(optarg, INT_MAX); break;
		case 'C': folder = optarg; break;
		case 't': timeout_ms = number(optarg, INT_MAX); break;
		case 'o': output_limit = number(optarg, 1 << 30); break;
		case 's': show_name = optarg; break;
		case 'O': rights.open = true; break;
		case 'r': add_path(READ, optarg); break;
		case 'x': add_path(RUN, optarg); break;
		case 'd': add_path(DEVICE, optarg); break;
		case 'w': add_path(WRITE, optarg); break;
		case 'p': add_port(optarg); break;
		case 'k': add_peer(optarg); break;
		case 'f': rights.file_bytes = number(optarg, INT64_MAX); break;
		case 'c': rights.cpu_seconds = number(optarg, INT_MAX); break;
		case 'n': rights.open_files = number(optarg, INT_MAX); break;
		case 'u': rights.processes = number(optarg, INT_MAX); break;
		case 'L': pretend_abi((int)number(optarg, INT_MAX)); break;
		case 'l': lock_name = optarg; break;
		case 'F': free_name = optarg; break;
		case 'M': rights.mark = number(optarg, INT64_MAX - 1); break;
		case 'E': leftovers = number(optarg, INT64_MAX - 1); break;
		case 'm': rights.memory_bytes = number(optarg, INT64_MAX); break;
		default: exit(64);
		}
	}
	if (worker >= 0 && fcntl(worker, F_SETFD, FD_CLOEXEC) != 0) misuse("not a descriptor", "--worker");
	if (free_name != NULL || leftovers > 0) return;
	if (piped && optind == argc) misuse("missing", "-- COMMAND");
	if (piped) return;
	const char *name = await_name != NULL ? await_name : result_name;
	if (name == NULL) misuse("missing", "--result FILE, --await FILE or --probe");
	if (await_name == NULL && optind == argc) misuse("missing", "-- COMMAND");
	if ((size_t)snprintf(temporary_name, sizeof temporary_name, "%s.tmp", name) >= sizeof temporary_name)
		misuse("too long", name);
}

/* Whether this file, and no other, stands under the ticket's name. */
static bool is_linked(const struct stat *file)
{
	struct stat named;
	return lstat(temporary_name, &named) == 0 && named.st_dev == file->st_dev && named.st_ino == file->st_ino;
}

static pid_t lock_owner(int file)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	return fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK ? whole.l_pid : 0;
}

/* Asks the launcher that has the ticket to end its command. That it still has the lock once we have a descriptor of it
   rules out that its number is somebody else's by now. */
static void stop_owner(int file)
{
	pid_t owner = lock_owner(file);
	int descriptor = owner > 0 ? (int)syscall(SYS_pidfd_open, owner, 0) : -1;
	if (descriptor < 0) return;
	if (lock_owner(file) == owner) syscall(SYS_pidfd_send_signal, descriptor, SIGTERM, NULL, 0);
	close(descriptor);
}

/* Waits until nobody has the lock. 0: it had begun and is over; 75: it still runs after the time; 77: nothing began,
   and under this ticket nothing can any more; 78: there is no ticket. A byte on stdin asks for the end of the command:
   its launcher is told, and waited for all the same. The end of stdin asks for nothing, for a worker may be killed. */
static int await_end(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct pollfd input = { 0, POLLIN, 0 };
	struct stat ticket;
	int file = open(temporary_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file < 0) return errno == ENOENT ? 78 : 70;
	int64_t deadline = now_ms() + timeout_ms;
	while (fcntl(file, F_SETLK, &whole) != 0) {
		if (now_ms() >= deadline) return 75;
		if (poll(&input, 1, 20) <= 0) continue;
		char byte;
		if (read(0, &byte, 1) == 1) stop_owner(file);
		else input.fd = -1;
	}
	if (fstat(file, &ticket) != 0 || !S_ISREG(ticket.st_mode)) return 70;
	if (ticket.st_size > 0) return 0;
	if (!is_linked(&ticket)) return 78;
	return unlink(temporary_name) == 0 ? 77 : 70;
}

/* Waits until nobody has the lock. 0: it is free; 75: somebody still has it after the time; 78: there never was one. */
static int await_lock(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int file = open(free_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file < 0) return errno == ENOENT ? 78 : 70;
	int64_t deadline = now_ms() + timeout_ms;
	while (fcntl(file, F_SETLK, &whole) != 0) {
		if (errno != EACCES && errno != EAGAIN) return 70;
		if (now_ms() >= deadline) return 75;
		poll(NULL, 0, 20);
	}
	return 0;
}

/* Prints how many there were. 75: some cannot be ended. */
static int print_leftovers(void)
{
	int count = end_leftovers(leftovers);
	printf("%d\n", count);
	if (fflush(stdout) != 0) return 70;
	return count < 0 ? 75 : 0;
}

static void take_ticket(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct stat ticket;
	step.file = open(temporary_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (step.file < 0 || fcntl(step.file, F_SETLK, &whole) != 0 || fstat(step.file, &ticket) != 0) fail(temporary_name);
	errno = ESTALE;
	if (!S_ISREG(ticket.st_mode) || ticket.st_size > 0 || !is_linked(&ticket)) fail(temporary_name);
	if (unlink(result_name) != 0 && errno != ENOENT) fail(result_name);
}

static void prepare_signals(void)
{
	sigset_t listened;
	sigemptyset(&listened);
	sigaddset(&listened, SIGTERM);
	sigaddset(&listened, SIGINT);
	sigaddset(&listened, SIGCHLD);
	ignore_signals(true);
	if (sigprocmask(SIG_BLOCK, &listened, NULL) != 0) fail("signals");
	step.signals = signalfd(-1, &listened, SFD_CLOEXEC | SFD_NONBLOCK);
	if (step.signals < 0) fail("signals");
}

static bool is_measured(void)
{
	return rights.memory_bytes >= 0;
}

static bool asked_to_stop(void)
{
	struct signalfd_siginfo signal;
	bool stop = false;
	while (read(step.signals, &signal, sizeof signal) == sizeof signal) stop = stop || signal.ssi_signo != SIGCHLD;
	return stop;
}

static void begin_the_end(const char *how)
{
	if (how != NULL) step.how = how;
	signal_family(SIGTERM);
	step.phase = ENDING;
	step.deadline = now_ms() + GRACE_MS;
}

/* What takes too much gets no time to take more. */
static void end_at_once(const char *how)
{
	step.how = how;
	step.phase = ENDING;
	step.deadline = now_ms();
}

/* The limit that is exceeded, or NULL; measured only now and then. */
static const char *measure(void)
{
	if (!is_measured() || step.phase != RUNNING || now_ms() < step.measured + MEASURE_MS) return NULL;
	step.measured = now_ms();
	return exceeded_limit(&rights);
}

static void advance(bool stop)
{
	bool alone = reap(step.command.pid, &step.status);
	bool command_over = step.status != -1;
	bool quiet = step.out.fd < 0 && step.err.fd < 0;
	bool late = now_ms() >= step.deadline;
	const char *excess = measure();
	switch (step.phase) {
	case RUNNING:
		if (command_over) step.phase = LINGERING, step.deadline = now_ms() + LINGER_MS;
		else if (stop) begin_the_end("stopped");
		else if (late) begin_the_end("timed-out");
		else if (excess != NULL) end_at_once(excess);
		if (step.phase != LINGERING) break;
		/* fall through */
	case LINGERING:
		if (alone) step.phase = OVER;
		else if (quiet || stop || now_ms() >= step.deadline) begin_the_end(NULL);
		break;
	case ENDING:
		if (alone) step.phase = OVER;
		else if (late && destroy_family(step.command.pid, &step.status)) step.phase = OVER;
		else if (late) fail("something the command started cannot be killed");
		break;
	case OVER: break;
	}
}

/* W7. Whoever talks to the command is gone: it has a moment to end by itself, and less than it may have had. */
static void note_hangup(int64_t *hangup)
{
	if (*hangup != 0) return;
	*hangup = now_ms();
	if (step.phase == RUNNING && step.deadline > *hangup + HANGUP_MS) step.deadline = *hangup + HANGUP_MS;
}

static void watch(void)
{
	int64_t hangup = 0;
	step.deadline = step.begun + timeout_ms;
	step.status = -1;
	for (advance(false); step.phase != OVER;) {
		int64_t wait = step.deadline - now_ms();
		if (is_measured() && step.phase == RUNNING && wait > MEASURE_MS) wait = MEASURE_MS;
		struct pollfd sources[] = {
			{ step.signals, POLLIN, 0 }, { step.out.fd, POLLIN, 0 }, { step.err.fd, POLLIN, 0 }, { step.command.listener, POLLIN, 0 },
			{ piped && hangup == 0 ? 0 : -1, POLLRDHUP, 0 },
		};
		if (poll(sources, 5, wait < 0 ? 0 : wait > 60000 ? 60000 : (int)wait) < 0 && errno != EINTR) fail("poll");
		drain(&step.out);
		drain(&step.err);
		if (sources[3].revents != 0 && !((sources[3].revents & POLLIN) && answer_request(step.command.listener, &rights))) {
			close(step.command.listener);
			step.command.listener = -1;
		}
		if (sources[4].revents != 0) note_hangup(&hangup);
		advance(asked_to_stop());
	}
	/* whoever wrote is gone, so this ends */
	for (uint64_t before = ~0ULL; before != step.out.total + step.err.total;) {
		before = step.out.total + step.err.total;
		drain(&step.out);
		drain(&step.err);
	}
}

/* One line of JSON; then the bytes that were kept: head and tail of stdout, head and tail of stderr. */
static bool write_result(bool with_output)
{
	char line[512];
	struct output *streams[] = { &step.out, &step.err };
	uint64_t sizes[2][3];
	for (int i = 0; i < 2; i++) {
		sizes[i][0] = with_output ? head_of(streams[i]) : 0;
		sizes[i][1] = with_output ? tail_of(streams[i]) : 0;
		sizes[i][2] = streams[i]->total - sizes[i][0] - sizes[i][1];
	}
	bool signaled = WIFSIGNALED(step.status);
	int length = snprintf(line, sizeof line,
		"{\"v\":1,\"ended\":\"%s\",\"problem\":%d,\"exit\":%d,\"signal\":%d,\"ms\":%lld,"
		"\"stdout\":[%llu,%llu,%llu],\"stderr\":[%llu,%llu,%llu]}\n",
		step.how, step.command.problem, signaled ? -1 : WEXITSTATUS(step.status), signaled ? WTERMSIG(step.status) : 0,
		(long long)(now_ms() - step.begun), (unsigned long long)sizes[0][0], (unsigned long long)sizes[0][1],
		(unsigned long long)sizes[0][2], (unsigned long long)sizes[1][0], (unsigned long long)sizes[1][1],
		(unsigned long long)sizes[1][2]);
	/* never empty in between: that would say that nothing began */
	return lseek(step.file, 0, SEEK_SET) == 0 && write_all(step.file, line, (size_t)length) &&
	       (!with_output || (write_kept(step.file, &step.out) && write_kept(step.file, &step.err))) &&
	       ftruncate(step.file, lseek(step.file, 0, SEEK_CUR)) == 0 && fsync(step.file) == 0;
}

/* Waits a moment, if the disk is full and nobody wants us to stop; else fails. */
static void wait_for_space(void)
{
	int problem = errno;
	bool stop = (problem != ENOSPC && problem != EDQUOT) || asked_to_stop();
	struct pollfd signals = { step.signals, POLLIN, 0 };
	if (!stop) poll(&signals, 1, LOOK_FOR_SPACE_MS);
	errno = problem;
	if (stop) fail(temporary_name);
}

static void leave_without_worker(void)
{
	struct pollfd socket = { worker, 0, 0 };
	if (parent != 0 && getppid() != parent) exit(76);
	if (worker >= 0 && poll(&socket, 1, 0) > 0) exit(76); /* the other end is closed */
}

/* W6. It is the worker's part to start no second command; should it try, that one waits here, and nothing has begun. */
static void take_desk(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	if (lock_name == NULL) return;
	int file;
	while ((file = open(lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)) < 0) {
		wait_for_space();
		leave_without_worker();
	}
	while (fcntl(file, F_SETLK, &whole) != 0) {
		struct pollfd signals = { step.signals, POLLIN, 0 };
		if ((errno != EACCES && errno != EAGAIN) || asked_to_stop()) fail(lock_name);
		leave_without_worker();
		poll(&signals, 1, 20);
	}
}

/* W2, W5. There is room for the beginning of the result from here on. */
static void mark_begun(void)
{
	static const char mark[] = "begun\n";
	leave_without_worker();
	while (!write_all(step.file, mark, sizeof mark - 1)) {
		wait_for_space();
		leave_without_worker();
	}
}

/* On a full disk what is known without the output is better than nothing, and room even for that is waited for: nobody
   else knows how the command ended. */
static void tell_result(void)
{
	while (!write_result(true) && !write_result(false)) wait_for_space();
}

/* W7. 0: it ended by itself or was asked to; 70: it could not be started, and stderr says why. */
static int run_piped(char **argv)
{
	leave_without_worker();
	step.begun = now_ms();
	step.command = start_command(&rights, folder, argv, NULL, NULL);
	if (step.command.pid < 0) fail("the command");
	if (step.command.problem != 0) fprintf(stderr, "oka-launch: %s: %s\n", argv[0], strerror(step.command.problem));
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nothing >= 0) dup2(nothing, 1); /* so that the end of its output is seen */
	watch();
	return step.command.problem != 0 ? 70 : WIFEXITED(step.status) ? WEXITSTATUS(step.status) : 128 + WTERMSIG(step.status);
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	if (leftovers > 0) return print_leftovers();
	if (free_name != NULL) return await_lock();
	if (await_name != NULL) return await_end();
	prepare_signals();
	if (setsid() < 0 && getpgrp() != getpid()) fail("setsid");
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) fail("subreaper");
	mark_launcher(rights.mark);
	if (piped) return run_piped(argv + optind);
	take_ticket();
	take_desk();
	step.out.half = step.err.half = output_limit > 1 ? (size_t)output_limit / 2 : 1;
	if (show_name != NULL) show_in(show_name);
	mark_begun();
	step.begun = now_ms();
	step.command = start_command(&rights, folder, argv + optind, &step.out, &step.err);
	if (step.command.pid < 0) fail("the command");
	if (step.command.problem != 0) step.how = "unstarted";
	watch();
	tell_result();
	if (rename(temporary_name, result_name) != 0) fail(result_name);
	return 0;
}
