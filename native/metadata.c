/*
 * Landlock has no say over chmod, chown and utime: by them a command could change any file of its user. So the filter
 * hands these calls over, and they are done here, on a file that was opened first and found to be below a writable
 * folder. The caller gets the result and never the chance to swap the path between look and act.
 */
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NR_FCHMODAT2 = 452 };
static const char OWN_FD[] = "/proc/self/fd/";

/* One call, whatever its name. A `path` of 0 means the file that `at` is. */
struct request {
	pid_t pid;
	enum { MODE, TIMES, OWNER } what;
	int at, flags;
	uint64_t path;
	uint64_t value; /* the mode, the owner, or where the times are */
	uint64_t group;
};

static struct request request_of(const struct seccomp_notif *asked)
{
	const __u64 *args = asked->data.args;
	struct request request = { .pid = (pid_t)asked->pid, .at = (int)args[0], .path = args[1], .value = args[2] };
	switch (asked->data.nr) {
	case SYS_fchmod: request.path = 0, request.value = args[1]; break;
	case NR_FCHMODAT2: request.flags = (int)args[3]; break;
	case SYS_utimensat: request.what = TIMES, request.flags = (int)args[3]; break;
	case SYS_fchown: request.what = OWNER, request.path = 0, request.value = args[1], request.group = args[2]; break;
	case SYS_fchownat: request.what = OWNER, request.group = args[3], request.flags = (int)args[4]; break;
#if defined(__x86_64__)
	case SYS_chmod: request.at = AT_FDCWD, request.path = args[0], request.value = args[1]; break;
	case SYS_lchown: request.flags = AT_SYMLINK_NOFOLLOW; /* fall through */
	case SYS_chown:
		request.what = OWNER, request.at = AT_FDCWD, request.path = args[0], request.value = args[1], request.group = args[2];
		break;
#endif
	}
	return request;
}

static bool read_path(const struct request *request, char path[PATH_MAX])
{
	path[0] = '\0';
	if (request->path == 0) return true;
	ssize_t size = read_memory(request->pid, request->path, path, PATH_MAX);
	if (size > 0 && memchr(path, '\0', (size_t)size) != NULL) return true;
	/* a string that ends near the end of its mapping is read only up to there, never beyond it */
	errno = size == PATH_MAX ? ENAMETOOLONG : EFAULT;
	return false;
}

static int open_of_caller(const struct request *request, int at)
{
	char name[48];
	if (at == AT_FDCWD) snprintf(name, sizeof name, "/proc/%d/cwd", request->pid);
	else snprintf(name, sizeof name, "/proc/%d/fd/%d", request->pid, at);
	int file = open(name, O_PATH | O_CLOEXEC);
	if (file < 0 && errno == ENOENT) errno = EBADF;
	return file;
}

/* Opens the file that is meant, without access to it. The caller's own descriptors by name are how libc says fchmodat. */
static int open_target(const struct request *request, const char *path)
{
	if (path[0] == '\0') return open_of_caller(request, request->at);
	if (strncmp(path, OWN_FD, strlen(OWN_FD)) == 0) return open_of_caller(request, atoi(path + strlen(OWN_FD)));
	int folder = open_of_caller(request, path[0] == '/' ? AT_FDCWD : request->at);
	if (folder < 0) return -1;
	uint64_t nofollow = request->flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | nofollow, .resolve = RESOLVE_NO_MAGICLINKS };
	int file = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
	int error = errno;
	close(folder);
	errno = error;
	return file;
}

static bool is_below(const char *path, const char *folder)
{
	char real[PATH_MAX];
	if (realpath(folder, real) == NULL) return false;
	size_t length = strlen(real);
	return strncmp(path, real, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_writable(const char *own_name, const struct rights *rights)
{
	char path[PATH_MAX];
	ssize_t length = readlink(own_name, path, sizeof path - 1);
	if (length <= 0) return false;
	path[length] = '\0';
	for (int i = 0; i < rights->paths; i++)
		if (rights->path[i].right == WRITE && is_below(path, rights->path[i].path)) return true;
	return false;
}

static int set_times(const struct request *request, const char *own_name)
{
	struct timespec times[2];
	bool given = request->value != 0;
	if (given && read_memory(request->pid, request->value, times, sizeof times) != sizeof times) return EFAULT;
	return utimensat(AT_FDCWD, own_name, given ? times : NULL, 0) == 0 ? 0 : errno;
}

/* Nothing here may run as somebody else. On a folder set-group-ID only says which group new files belong to. */
static int set_mode(mode_t mode, const char *own_name)
{
	struct stat file;
	if (stat(own_name, &file) != 0) return errno;
	if (mode & (S_ISDIR(file.st_mode) ? S_ISUID : S_ISUID | S_ISGID)) return EPERM;
	return chmod(own_name, mode) == 0 ? 0 : errno;
}

static int act(const struct request *request, const char *own_name)
{
	uid_t owner = (uid_t)request->value;
	gid_t group = (gid_t)request->group;
	switch (request->what) {
	case MODE: return set_mode((mode_t)request->value & 07777, own_name);
	case TIMES: return set_times(request, own_name);
	case OWNER: /* to give away is refused; to keep, as unpacking and copying ask for, needs no deed */
		return (owner == (uid_t)-1 || owner == getuid()) && (group == (gid_t)-1 || group == getgid()) ? 0 : EPERM;
	}
	return EINVAL;
}

int carry_out_metadata(int listener, const struct seccomp_notif *asked, const struct rights *rights)
{
	char path[PATH_MAX], own_name[48];
	struct request asked_for = request_of(asked), *request = &asked_for;
	if (!read_path(request, path)) return errno;
	int file = open_target(request, path);
	if (file < 0) return errno;
	snprintf(own_name, sizeof own_name, "%s%d", OWN_FD, file);
	/* while the request stands, everything read above was the caller's and not that of a later process of this number */
	bool stands = ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked->id) == 0;
	int error = !stands ? ESRCH : is_writable(own_name, rights) ? act(request, own_name) : EACCES;
	close(file);
	return error;
}
