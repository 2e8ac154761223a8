#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "the filter is written for x86-64 and aarch64"
#endif

/* From 424 on numbers are the same everywhere, so that those newer than the headers can be given. */
enum { NR_FCHMODAT2 = 452, NR_SETXATTRAT = 463, NR_REMOVEXATTRAT = 466, NR_OPEN_TREE_ATTR = 467, NR_FILE_SETATTR = 469 };
#define NEW_NAMESPACE 0x7e020000 /* every CLONE_NEW* that fits into clone's flags */
#define KIND 0xf                 /* the part of a socket's type that is not a flag */
#define TCP 6
#define IOPRIO_WHO_PROCESS 1
#define WAIT_KILLABLE (1U << 5) /* since 5.19: a signal does not make a caller ask twice */
#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE(error) (SECCOMP_RET_ERRNO | (error))

static struct sock_filter code[640];
static unsigned short length;

static void emit(uint16_t operation, uint32_t value, uint8_t if_true, uint8_t if_false)
{
	code[length++] = (struct sock_filter){ operation, if_true, if_false, value };
}

static void load(size_t offset)
{
	emit(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Arguments that matter here are ints for the kernel, too: the upper half is ignored by both. */
static void load_argument(int index)
{
	load(offsetof(struct seccomp_data, args) + 8 * (size_t)index);
}

static void skip_unless_equal(uint32_t value, uint8_t lines)
{
	emit(BPF_JMP | BPF_JEQ | BPF_K, value, 0, lines);
}

static void skip_if_equal(uint32_t value, uint8_t lines)
{
	emit(BPF_JMP | BPF_JEQ | BPF_K, value, lines, 0);
}

static void give(uint32_t verdict)
{
	emit(BPF_RET | BPF_K, verdict, 0, 0);
}

static void always(uint32_t call, uint32_t verdict)
{
	skip_unless_equal(call, 1);
	give(verdict);
}

static void refuse_bits(uint32_t call, int argument, uint32_t bits)
{
	skip_unless_equal(call, 4);
	load_argument(argument);
	emit(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
	give(REFUSE(EPERM));
	give(ALLOW);
}

/* For calls that name a process, where 0 is the caller itself. */
static void refuse_others(uint32_t call, int argument)
{
	skip_unless_equal(call, 4);
	load_argument(argument);
	skip_if_equal(0, 1);
	give(REFUSE(EPERM));
	give(ALLOW);
}

/* The mark of the desk stays (leftovers.c): that limit can be read, but not be set, and limits of other processes neither. */
static void refuse_limits_of_others_and_marks(void)
{
	skip_unless_equal(SYS_prlimit64, 11);
	load_argument(0);
	skip_if_equal(0, 1);
	give(REFUSE(EPERM));
	load_argument(1);
	skip_unless_equal(RLIMIT_LOCKS, 5);
	load_argument(2);
	skip_unless_equal(0, 2);
	load(offsetof(struct seccomp_data, args) + 8 * 2 + 4); /* the upper half of the address of the new limit */
	skip_if_equal(0, 1);
	give(REFUSE(EPERM));
	give(ALLOW);
	skip_unless_equal(SYS_setrlimit, 4);
	load_argument(0);
	skip_unless_equal(RLIMIT_LOCKS, 1);
	give(REFUSE(EPERM));
	give(ALLOW);
}

/* For calls that can name a process, a group or a user: only the caller itself, which is `kind` and 0. */
static void refuse_all_but_self(uint32_t call, uint32_t kind)
{
	skip_unless_equal(call, 6);
	load_argument(0);
	skip_unless_equal(kind, 2);
	load_argument(1);
	skip_if_equal(0, 1);
	give(REFUSE(EPERM));
	give(ALLOW);
}

/* A new file must not come with set-user-ID or set-group-ID; its mode counts only where the call may create it. */
static void refuse_privileged_creation(uint32_t call, int flags, int mode)
{
	skip_unless_equal(call, 6);
	load_argument(flags);
	emit(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 0, 3);
	load_argument(mode);
	emit(BPF_JMP | BPF_JSET | BPF_K, S_ISUID | S_ISGID, 0, 1);
	give(REFUSE(EPERM));
	give(ALLOW);
}

static void refuse_typing_for_others(void)
{
	skip_unless_equal(SYS_ioctl, 5);
	load_argument(1);
	skip_if_equal(TIOCSTI, 1);
	skip_unless_equal(TIOCLINUX, 1);
	give(REFUSE(EPERM));
	give(ALLOW);
}

/* Landlock knows the ports of plain TCP only, so nothing else may be opened. Refused: UDP, raw, unix, netlink, … */
static void allow_tcp_only(void)
{
	skip_unless_equal(SYS_socket, 11);
	load_argument(0);
	skip_if_equal(AF_INET, 1);
	skip_unless_equal(AF_INET6, 6);
	load_argument(1);
	emit(BPF_ALU | BPF_AND | BPF_K, KIND, 0, 0);
	skip_unless_equal(SOCK_STREAM, 3);
	load_argument(2);
	skip_if_equal(0, 2);
	skip_if_equal(TCP, 1);
	give(REFUSE(EACCES));
	give(ALLOW);
	/* a connection opened by sending goes past Landlock */
	refuse_bits(SYS_sendto, 3, MSG_FASTOPEN);
	refuse_bits(SYS_sendmsg, 2, MSG_FASTOPEN);
	refuse_bits(SYS_sendmmsg, 3, MSG_FASTOPEN);
}

/* Pairs are how programs talk to their children; a pair of datagram sockets could reach other sockets by name. */
static void allow_connected_pairs_only(void)
{
	skip_unless_equal(SYS_socketpair, 6);
	load_argument(1);
	emit(BPF_ALU | BPF_AND | BPF_K, KIND, 0, 0);
	skip_if_equal(SOCK_STREAM, 2);
	skip_if_equal(SOCK_SEQPACKET, 1);
	give(REFUSE(EACCES));
	give(ALLOW);
}

static const int refused[] = {
	/* looking into other processes */
	SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp, SYS_process_madvise,
	SYS_process_mrelease, SYS_migrate_pages, SYS_move_pages, SYS_perf_event_open,
	/* work that other filters do not see, or that the kernel does on behalf of a process */
	SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf, SYS_userfaultfd, SYS_open_by_handle_at,
	/* keys and objects that stay when the process is gone */
	SYS_keyctl, SYS_add_key, SYS_request_key, SYS_shmget, SYS_semget, SYS_msgget, SYS_mq_open,
	/* other worlds */
	SYS_unshare, SYS_setns, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2, SYS_move_mount, SYS_open_tree, SYS_fsopen,
	SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, NR_OPEN_TREE_ATTR,
	/* the machine itself */
	SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load, SYS_reboot, SYS_swapon,
	SYS_swapoff, SYS_acct, SYS_quotactl, SYS_quotactl_fd, SYS_syslog, SYS_sethostname, SYS_setdomainname, SYS_settimeofday,
	SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_vhangup, SYS_fanotify_init,
	/* flags of files; ports for others to connect to */
	NR_FILE_SETATTR, SYS_listen,
#if defined(__x86_64__)
	SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
};

/* For these libraries have another way, or do without. */
static const struct { int call, error; } absent[] = {
	{ SYS_clone3, ENOSYS }, { SYS_openat2, ENOSYS }, /* their arguments lie in memory, where a filter cannot see them */
	{ SYS_setxattr, EOPNOTSUPP }, { SYS_lsetxattr, EOPNOTSUPP }, { SYS_fsetxattr, EOPNOTSUPP },
	{ SYS_removexattr, EOPNOTSUPP }, { SYS_lremovexattr, EOPNOTSUPP }, { SYS_fremovexattr, EOPNOTSUPP },
	{ NR_SETXATTRAT, ENOSYS }, { NR_REMOVEXATTRAT, ENOSYS },
#if defined(__x86_64__)
	{ SYS_utime, ENOSYS }, { SYS_utimes, ENOSYS }, { SYS_futimesat, ENOSYS },
#endif
};

/* Landlock does not know these; see metadata.c. */
static const int metadata[] = {
	SYS_fchmod, SYS_fchmodat, NR_FCHMODAT2, SYS_fchown, SYS_fchownat, SYS_utimensat,
#if defined(__x86_64__)
	SYS_chmod, SYS_chown, SYS_lchown,
#endif
};

/* Landlock knows these from version 6 on; see signals.c. */
static const int signals[] = { SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo };

#define EACH(list) size_t i = 0; i < sizeof(list) / sizeof *(list); i++

static void build(const struct rights *rights, int abi, bool writes)
{
	length = 0;
	load(offsetof(struct seccomp_data, arch));
	skip_if_equal(NATIVE, 1);
	give(REFUSE(ENOSYS));
	load(offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
	emit(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x32 */
	give(REFUSE(ENOSYS));
#endif
	for (EACH(refused)) always((uint32_t)refused[i], REFUSE(EPERM));
	for (EACH(absent)) always((uint32_t)absent[i].call, REFUSE((uint32_t)absent[i].error));
	for (EACH(metadata)) always((uint32_t)metadata[i], writes ? SECCOMP_RET_USER_NOTIF : REFUSE(EACCES));
	if (abi < 3) always(SYS_truncate, REFUSE(EACCES));
	if (rights->peers > 0 || (rights->ports > 0 && abi >= 4)) allow_tcp_only();
	else always(SYS_socket, REFUSE(EACCES));
	if (rights->peers > 0) always(SYS_connect, SECCOMP_RET_USER_NOTIF);
	if (abi < 4) always(SYS_bind, REFUSE(EACCES));
	if (abi < 6) for (EACH(signals)) always((uint32_t)signals[i], SECCOMP_RET_USER_NOTIF);
	if (abi < 6) always(SYS_pidfd_send_signal, REFUSE(ENOSYS)); /* whom a descriptor means can change in between */
	allow_connected_pairs_only();
	refuse_bits(SYS_clone, 0, NEW_NAMESPACE);
	refuse_typing_for_others();
	refuse_limits_of_others_and_marks();
	refuse_others(SYS_sched_setaffinity, 0);
	refuse_others(SYS_sched_setscheduler, 0);
	refuse_others(SYS_sched_setparam, 0);
	refuse_others(SYS_sched_setattr, 0);
	refuse_all_but_self(SYS_setpriority, PRIO_PROCESS);
	refuse_all_but_self(SYS_ioprio_set, IOPRIO_WHO_PROCESS);
	refuse_privileged_creation(SYS_openat, 2, 3);
	refuse_bits(SYS_mknodat, 2, S_ISUID | S_ISGID);
#if defined(__x86_64__)
	refuse_privileged_creation(SYS_open, 1, 2);
	refuse_bits(SYS_creat, 1, S_ISUID | S_ISGID);
	refuse_bits(SYS_mknod, 1, S_ISUID | S_ISGID);
#endif
	give(ALLOW);
}

bool seccomp_there(void)
{
	uint32_t verdict = SECCOMP_RET_USER_NOTIF;
	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &verdict) == 0;
}

int install_filter(const struct rights *rights, int abi)
{
	bool writes = false;
	for (int i = 0; i < rights->paths; i++) writes = writes || rights->path[i].right == WRITE;
	bool hands_over = writes || rights->peers > 0 || abi < 6;
	build(rights, abi, writes);
	struct sock_fprog program = { length, code };
	unsigned flags = hands_over ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
	long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, hands_over ? flags | WAIT_KILLABLE : 0, &program);
	if (listener < 0 && errno == EINVAL) listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (listener < 0) return -2;
	return hands_over ? (int)listener : -1;
}
