/*
 * oka-launch runs one command inside rules of the kernel, ends everything it started, and leaves what came of it in a
 * file. Which paths and ports a command may use is decided by the caller; nothing is decided here.
 *
 *   main.c      options, the loop, the result
 *   serve.c     starting launchers on behalf of a worker
 *   start.c     from a process to the command
 *   jail.c      what the command gives up before it starts: paths, ports, limits, privileges
 *   filter.c    the system calls it cannot make
 *   requests.c  calls that the filter hands over to us, and their answers
 *   metadata.c  chmod, chown and utime, which Landlock does not know, done on its behalf below writable folders only
 *   connect.c   connections, made on its behalf to the given addresses only
 *   signals.c   signals, where Landlock does not know them
 *   family.c    everything it started
 *   leftovers.c what a launcher that was killed left alive
 *   appetite.c  how much memory and how many processes that takes
 *   output.c    what it wrote: head, tail, and how much is missing between them
 */
#ifndef OKA_LAUNCH_H
#define OKA_LAUNCH_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_PATHS 256
#define MAX_PORTS 16

/* READ: files and folders; RUN: also execute; DEVICE: read and write one file; WRITE: everything below a folder. */
enum right { READ, RUN, DEVICE, WRITE };

struct rights {
	bool open; /* no rules at all: only the limits, the witness and the end of everything it started */
	int paths;
	struct { enum right right; bool exact; const char *path; } path[MAX_PATHS]; /* exact: not what a link leads to */
	int ports; /* TCP ports it may connect to, on any machine */
	uint16_t port[MAX_PORTS];
	int peers; /* addresses it may connect to, IPv4 as mapped IPv6; with neither ports nor peers it gets no sockets at all */
	struct sockaddr_in6 peer[MAX_PORTS];
	int64_t file_bytes, cpu_seconds, open_files, processes, memory_bytes; /* < 0: as it is */
	int64_t mark; /* of the desk; 0: none */
};

/* Bytes of one stream: the first `half` and a ring with the last `half`. */
struct output {
	int fd; /* -1 at its end */
	size_t half, head, ring;
	uint64_t total;
	char *kept;
};

/* A command under way. The pid is negative, with errno set, when there is none; a problem says why it ended at once. */
struct started {
	pid_t pid;
	int listener; /* where its filter hands calls over, or -1 */
	int problem;
};

/* Without `out` and `err` the command has our own stdin, stdout and stderr. */
struct started start_command(const struct rights *rights, const char *folder, char **argv, struct output *out,
                             struct output *err);

/* Those that must not end the launcher; the command gets them back. */
void ignore_signals(bool ignore);

/* What the kernel offers, or less: `pretend_abi` is for tests on a newer kernel than the one that is meant. */
int landlock_abi(void);
void pretend_abi(int at_most);
bool seccomp_there(void);

/* Enters the jail for good. Returns the listener of the filter, -1 when there is none, or -2 with errno set. */
int enter_jail(const struct rights *rights);

/* Installs the filter; the same returns as enter_jail. */
int install_filter(const struct rights *rights, int abi);

/* Answers one request of the listener; false when nobody can ask any more. */
bool answer_request(int listener, const struct rights *rights);

/* Each carries out one call that was handed over: 0, or why not. */
struct seccomp_notif;
int carry_out_metadata(int listener, const struct seccomp_notif *asked, const struct rights *rights);
int carry_out_connect(int listener, const struct seccomp_notif *asked, const struct rights *rights);

/* Whether a signal that was handed over reaches nobody but what the command started: 0, or why not. */
int judge_signal(const struct seccomp_notif *asked);

/* Up to `size` bytes of a process's memory; less than 0 with errno set. */
ssize_t read_memory(pid_t pid, uint64_t address, void *into, size_t size);

/* "127.0.0.1:8080" or "[::1]:8080"; false when it is neither. */
bool parse_peer(const char *text, struct sockaddr_in6 *peer);

/* A process as /proc shows it; false when there is none. */
struct task { pid_t pid, parent, group; char state; };
bool read_task(pid_t pid, struct task *task);

/* Sends a signal to everything that descends from this process. */
void signal_family(int signal);

/* Stops and kills everything that descends from this process and waits for it; false when something is stuck. */
bool destroy_family(pid_t command, int *status);

/* Marks this process as the launcher of a desk, or for good as one of its commands. Without success where there are limits already. */
void mark_launcher(int64_t mark);
void mark_command(int64_t mark);

/* Kills what launchers of this mark left alive when they were killed themselves. How many there were, or -1: some still are. */
int end_leftovers(int64_t mark);

/* What the command and everything it started take together; NULL when it is within the limits, else what is too much. */
const char *exceeded_limit(const struct rights *rights);

/* Waits for whatever has ended; true when no child is left. Keeps the status of `command`. */
bool reap(pid_t command, int *status);

/* Keeps `half` bytes of either end. */
bool start_output(struct output *output, int fd);

/* Takes what is there, without waiting for more. */
void drain(struct output *output);

/* Shows the last that is written, of both streams, in a file of its own. */
void show_in(const char *name);
size_t head_of(const struct output *output);
size_t tail_of(const struct output *output);

/* Writes what was kept; false with errno set. */
bool write_kept(int file, const struct output *output);
bool write_all(int file, const void *bytes, size_t size);

int64_t now_ms(void);

/* Starts launchers, which are this program, as the requests on stdin say, until the worker is gone; returns the exit code. */
int serve(const char *self);

/* Prints for each path "written", "unwritten" or "unknown"; returns the exit code. */
int print_written(char **paths);

#endif
