/*
 * Tries things that a command in the jail must not be able to do, by their names, and says how it went: OK or an errno.
 * Each is asked in a way that does no harm, and gets another errno, should it reach the kernel after all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char memory[4096];
static int port;

static struct sockaddr_in at(int number)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)number), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static long fast_open(int how)
{
	struct sockaddr_in address = at(port);
	struct iovec word = { "x", 1 };
	struct mmsghdr message = { .msg_hdr = { .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &word, .msg_iovlen = 1 } };
	int tcp = socket(AF_INET, SOCK_STREAM, 0);
	if (tcp < 0) return -1;
	if (how == 0) return sendto(tcp, "x", 1, MSG_FASTOPEN, (void *)&address, sizeof address);
	return how == 1 ? sendmsg(tcp, &message.msg_hdr, MSG_FASTOPEN) : sendmmsg(tcp, &message, 1, MSG_FASTOPEN);
}

static long connect_to_port(void)
{
	struct sockaddr_in address = at(port);
	int tcp = socket(AF_INET, SOCK_STREAM, 0);
	return tcp < 0 ? -1 : connect(tcp, (void *)&address, sizeof address);
}

static long listen_anywhere(void)
{
	int tcp = socket(AF_INET, SOCK_STREAM, 0);
	return tcp < 0 ? -1 : listen(tcp, 1);
}

static long bind_anywhere(void)
{
	struct sockaddr_in address = at(0);
	int tcp = socket(AF_INET, SOCK_STREAM, 0);
	return tcp < 0 ? -1 : bind(tcp, (void *)&address, sizeof address);
}

static long namespace_by_clone(void)
{
	long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) _exit(0);
	return pid;
}

static long fork_and_wait(void)
{
	pid_t pid = fork();
	if (pid == 0) _exit(0);
	return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}

static long change_mode_of_open_file(const char *path, mode_t mode)
{
	int file = open(path, O_RDONLY);
	return file < 0 ? -1 : fchmod(file, mode);
}

static long change_open_file(const char *path)
{
	return change_mode_of_open_file(path, 0777);
}

/* A file beside `path`. */
static long create(const char *path, mode_t mode)
{
	char name[4096];
	snprintf(name, sizeof name, "%s.%o", path, mode);
	unlink(name);
	return open(name, O_CREAT | O_EXCL | O_WRONLY, mode);
}

static long create_node(const char *path, mode_t mode)
{
	char name[4096];
	snprintf(name, sizeof name, "%s.node", path);
	unlink(name);
	return mknod(name, S_IFREG | mode, 0);
}

static long change_path_only(const char *path)
{
	int file = open(path, O_PATH);
	char name[64];
	if (file < 0) return -1;
	snprintf(name, sizeof name, "/proc/self/fd/%d", file);
	return chmod(name, 0777);
}

static long attempt(const char *what, const char *path)
{
	pid_t parent = getppid();
	int pair[2];
	struct iovec here = { memory, 1 }, there = { memory, 1 };
	struct rlimit few = { 16, 16 };
	struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
#define TRY(name, expression) if (strcmp(what, name) == 0) return (long)(expression)
	TRY("fork", fork_and_wait());
	TRY("pipe", pipe(pair));
	TRY("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	TRY("memfd", syscall(SYS_memfd_create, "x", 0));
	TRY("own-limit", setrlimit(RLIMIT_NOFILE, &few));
	TRY("ptrace", syscall(SYS_ptrace, 16, parent, 0, 0));
	TRY("read-memory", process_vm_readv(parent, &here, 1, &there, 1, 0));
	TRY("pidfd-getfd", syscall(SYS_pidfd_getfd, 0, 0, 0));
	TRY("io-uring", syscall(SYS_io_uring_setup, 1, memory));
	TRY("keyctl", syscall(SYS_keyctl, 0, -3, 0));
	TRY("add-key", syscall(SYS_add_key, "no-such-type", "k", "v", 1, -4));
	TRY("bpf", syscall(SYS_bpf, 0, memory, 64));
	TRY("perf", syscall(SYS_perf_event_open, memory, 0, -1, -1, 0));
	TRY("userfaultfd", syscall(SYS_userfaultfd, 0));
	TRY("mount", syscall(SYS_mount, "none", "/no/such/folder", "tmpfs", 0, 0));
	TRY("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
	TRY("unshare", syscall(SYS_unshare, CLONE_NEWUSER));
	TRY("setns", syscall(SYS_setns, -1, 0));
	TRY("chroot", syscall(SYS_chroot, "/"));
	TRY("clone-namespace", namespace_by_clone());
	TRY("clone3", syscall(SYS_clone3, memory, 64));
	TRY("kexec", syscall(SYS_kexec_load, 0, 99, 0, ~0UL));
	TRY("module", syscall(SYS_init_module, memory, 1, ""));
	TRY("shm", syscall(SYS_shmget, 4711, 4096, 0));
	TRY("queue", syscall(SYS_mq_open, "oka", O_RDWR, 0, 0));
	TRY("type-for-others", ioctl(0, TIOCSTI, "x"));
	TRY("limit-parent", syscall(SYS_prlimit64, parent, RLIMIT_NOFILE, &few, 0));
	TRY("renice-parent", setpriority(PRIO_PROCESS, (id_t)parent, 19));
	TRY("renice-self", setpriority(PRIO_PROCESS, 0, 5));
	TRY("renice-group", setpriority(PRIO_PGRP, (id_t)getpgid(parent), 19));
	TRY("renice-own-group", setpriority(PRIO_PGRP, 0, 5));
	TRY("renice-user", setpriority(PRIO_USER, 0, 5));
	TRY("io-priority-self", syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 5));
	TRY("io-priority-parent", syscall(SYS_ioprio_set, 1, parent, 3 << 13));
	TRY("io-priority-group", syscall(SYS_ioprio_set, 2, 0, 3 << 13));
	TRY("io-priority-user", syscall(SYS_ioprio_set, 3, 0, 3 << 13));
	TRY("affinity-parent", syscall(SYS_sched_setaffinity, parent, sizeof memory, memory));
	TRY("scheduler-parent", sched_setscheduler(parent, SCHED_BATCH, &(struct sched_param){ 0 }));
	TRY("param-parent", sched_setparam(parent, &(struct sched_param){ 0 }));
	TRY("attr-parent", syscall(SYS_sched_setattr, parent, memory, 0));
	TRY("write-memory", process_vm_writev(parent, &here, 1, &there, 1, 0));
	TRY("advise-parent", syscall(SYS_process_madvise, 0, &there, 1, 0, 0));
	TRY("move-pages", syscall(SYS_move_pages, parent, 0, 0, 0, 0, 0));
	TRY("migrate-pages", syscall(SYS_migrate_pages, parent, 0, 0, 0));
	TRY("compare", syscall(SYS_kcmp, parent, getpid(), 0, 0, 0));
	TRY("release-memory", syscall(SYS_process_mrelease, -1, 0));
	TRY("io-uring-enter", syscall(SYS_io_uring_enter, -1, 0, 0, 0, 0, 0));
	TRY("handle", syscall(SYS_open_by_handle_at, -1, memory, 0));
	TRY("request-key", syscall(SYS_request_key, "user", "oka", 0, 0));
	TRY("openat2", syscall(SYS_openat2, AT_FDCWD, path, memory, 24));
	TRY("setuid", chmod(path, 04755));
	TRY("setgid", chmod(path, 02755));
	TRY("sticky", chmod(path, 01755));
	TRY("setuid-open-file", change_mode_of_open_file(path, 04755));
	TRY("setuid-2", syscall(452, AT_FDCWD, path, 04755, 0));
	TRY("setuid-new", create(path, 04755));
	TRY("setgid-new", create(path, 02755));
	TRY("plain-new", create(path, 0755));
	TRY("setuid-unnamed", open("/proc/self/cwd", O_TMPFILE | O_RDWR, 04755));
	TRY("plain-unnamed", open("/proc/self/cwd", O_TMPFILE | O_RDWR, 0600));
	TRY("setuid-node", create_node(path, 04755));
	TRY("open-with-odd-mode", syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 04755));
	TRY("signal-parent", kill(parent, 0));
	TRY("udp", socket(AF_INET, SOCK_DGRAM, 0));
	TRY("raw", socket(AF_INET, SOCK_RAW, 1));
	TRY("tcp", socket(AF_INET, SOCK_STREAM, 0));
	TRY("tcp6", socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
	TRY("mptcp", socket(AF_INET, SOCK_STREAM, 262));
	TRY("unix", socket(AF_UNIX, SOCK_STREAM, 0));
	TRY("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
	TRY("packet", socket(AF_PACKET, SOCK_RAW, 0));
	TRY("vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
	TRY("datagram-pair", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	TRY("raw-pair", socketpair(AF_UNIX, SOCK_RAW, 0, pair));
	TRY("connect", connect_to_port());
	TRY("fast-open", fast_open(0));
	TRY("fast-open-message", fast_open(1));
	TRY("fast-open-messages", fast_open(2));
	TRY("listen", listen_anywhere());
	TRY("bind", bind_anywhere());
	TRY("chmod", chmod(path, 0777));
	TRY("chmod-open-file", change_open_file(path));
	TRY("chmod-path-only", change_path_only(path));
	TRY("chmod-2", syscall(452, AT_FDCWD, path, 0777, AT_SYMLINK_NOFOLLOW));
	TRY("chown", fchownat(AT_FDCWD, path, getuid(), getgid(), 0));
	TRY("give-away", fchownat(AT_FDCWD, path, 12345, 12345, 0));
	TRY("times", utimensat(AT_FDCWD, path, times, 0));
	TRY("now", utimensat(AT_FDCWD, path, NULL, 0));
	TRY("truncate", truncate(path, 0));
	TRY("attribute", syscall(SYS_setxattr, path, "user.oka", "x", 1, 0));
	TRY("device", mknod(path, S_IFCHR | 0600, 0x103));
	fprintf(stderr, "nothing is called %s\n", what);
	exit(2);
}

/* tries PORT PATH NAME… */
int main(int argc, char **argv)
{
	if (argc < 4) return 2;
	port = atoi(argv[1]);
	for (int i = 3; i < argc; i++) {
		errno = 0;
		long result = attempt(argv[i], argv[2]);
		printf("%s %s\n", argv[i], result >= 0 ? "OK" : strerrorname_np(errno));
	}
	return 0;
}
