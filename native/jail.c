#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* Landlock as of version 6, spelled out here so that older headers will do. */
enum {
	FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5, FS_MAKE_DIR = 1 << 7, FS_MAKE_REG = 1 << 8,
	FS_MAKE_FIFO = 1 << 10, FS_MAKE_SYM = 1 << 12, FS_REFER = 1 << 13, FS_TRUNCATE = 1 << 14,
	NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1,
	SCOPE_ABSTRACT_SOCKETS = 1 << 0, SCOPE_SIGNALS = 1 << 1,
	RULE_PATH = 1, RULE_PORT = 2,
	ASK_VERSION = 1,
};
/* What a runtime such as Node reserves at its start, without using it. */
#define RESERVED_BYTES (2LL << 30)
#define FS_ON_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)
struct ruleset { uint64_t fs, net, scoped; };
struct path_rule { uint64_t allowed; int32_t folder; } __attribute__((packed));
struct port_rule { uint64_t allowed, port; };

static int abi_at_most = INT_MAX;

void pretend_abi(int at_most)
{
	abi_at_most = at_most;
}

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
	return abi < 0 ? 0 : abi < abi_at_most ? (int)abi : abi_at_most;
}

/* Every right of files that this version knows; what is handled and not granted is refused. */
static uint64_t handled_fs(int abi)
{
	int bits = abi >= 5 ? 16 : abi >= 3 ? 15 : abi == 2 ? 14 : 13;
	return (1ULL << bits) - 1;
}

static uint64_t granted(enum right right)
{
	switch (right) {
	case READ: return FS_READ_FILE | FS_READ_DIR;
	case RUN: return FS_READ_FILE | FS_READ_DIR | FS_EXECUTE;
	case DEVICE: return FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE;
	case WRITE: /* no devices and no sockets */
		return FS_READ_FILE | FS_READ_DIR | FS_EXECUTE | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_DIR |
		       FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER;
	}
	return 0;
}

/* Whether what was opened is where its path says, and not where a link in the path has led. */
static bool is_exactly(int folder, const char *path)
{
	char link[64], real[PATH_MAX];
	snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
	ssize_t length = readlink(link, real, sizeof real - 1);
	if (length < 0) return false;
	real[length] = '\0';
	return strcmp(real, path) == 0;
}

/* What is not there needs no rule, unless the command is to write there. An exact path is that of a folder which others may
   have replaced by a link meanwhile: then it gets no rule. */
static bool allow_path(int ruleset, enum right right, const char *path, bool exact, uint64_t handled)
{
	struct stat about;
	struct path_rule rule = { granted(right) & handled, open(path, O_PATH | O_CLOEXEC) };
	if (rule.folder < 0) return (exact || right != WRITE) && (errno == ENOENT || errno == ENOTDIR || errno == EACCES);
	if (exact && !is_exactly(rule.folder, path)) {
		close(rule.folder);
		return true;
	}
	bool done = fstat(rule.folder, &about) == 0;
	if (done && !S_ISDIR(about.st_mode)) rule.allowed &= FS_ON_FILES;
	done = done && syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0) == 0;
	close(rule.folder);
	return done;
}

static bool restrict_files_and_ports(const struct rights *rights, int abi)
{
	struct ruleset handled = {
		.fs = handled_fs(abi),
		.net = abi >= 4 ? NET_BIND_TCP | NET_CONNECT_TCP : 0,
		.scoped = abi >= 6 ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0,
	};
	size_t size = abi >= 6 ? sizeof handled : abi >= 4 ? offsetof(struct ruleset, scoped) : offsetof(struct ruleset, net);
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
	if (ruleset < 0) return false;
	bool done = true;
	for (int i = 0; done && i < rights->paths; i++)
		done = allow_path(ruleset, rights->path[i].right, rights->path[i].path, rights->path[i].exact, handled.fs);
	for (int i = 0; done && abi >= 4 && i < rights->ports; i++) {
		struct port_rule rule = { NET_CONNECT_TCP, rights->port[i] };
		done = syscall(SYS_landlock_add_rule, ruleset, RULE_PORT, &rule, 0) == 0;
	}
	done = done && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	close(ruleset);
	return done;
}

static bool limit(int resource, int64_t most)
{
	struct rlimit now;
	if (most < 0) return true;
	if (getrlimit(resource, &now) != 0) return false;
	if (now.rlim_max > (rlim_t)most) now.rlim_max = (rlim_t)most;
	now.rlim_cur = now.rlim_max;
	return setrlimit(resource, &now) == 0;
}

static bool limit_resources(const struct rights *rights)
{
	struct sysinfo machine;
	if (sysinfo(&machine) != 0) return false;
	/* the kernel counts all processes of this user, so those that exist already come on top */
	int64_t processes = rights->processes < 0 ? -1 : rights->processes + machine.procs;
	/* one process alone cannot outrun the launcher, which measures all of them together; programs reserve more than they use */
	int64_t data = rights->memory_bytes < 0 ? -1 : 4 * rights->memory_bytes + RESERVED_BYTES;
	return limit(RLIMIT_CORE, 0) && limit(RLIMIT_DATA, data) && limit(RLIMIT_FSIZE, rights->file_bytes) && limit(RLIMIT_CPU, rights->cpu_seconds) &&
	       limit(RLIMIT_NOFILE, rights->open_files) && limit(RLIMIT_NPROC, processes);
}

/* Under no_new_privs not even root gets them back. */
static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };
	return syscall(SYS_capset, &header, none) == 0;
}

/* When memory runs out, the command goes before the worker does, however little it holds itself. A hint: not being able
   to give it changes nothing. */
static void volunteer_for_oom(void)
{
	int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (file < 0) return;
	(void)!write(file, "1000", 4);
	close(file);
}

int enter_jail(const struct rights *rights)
{
	int abi = landlock_abi();
	volunteer_for_oom();
	mark_command(rights->mark);
	if (!limit_resources(rights)) return -2;
	if (rights->open) return -1;
	if (abi == 0) {
		errno = EOPNOTSUPP;
		return -2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !drop_capabilities()) return -2;
	return restrict_files_and_ports(rights, abi) ? install_filter(rights, abi) : -2;
}
