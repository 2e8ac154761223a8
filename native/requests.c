/* Calls that the filter of the command hands over: received here, carried out elsewhere, answered here. */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t read_memory(pid_t pid, uint64_t address, void *into, size_t size)
{
	char name[32];
	snprintf(name, sizeof name, "/proc/%d/mem", pid);
	int memory = open(name, O_RDONLY | O_CLOEXEC);
	if (memory < 0) return -1;
	ssize_t got = pread(memory, into, size, (off_t)address);
	close(memory);
	return got;
}

bool answer_request(int listener, const struct rights *rights)
{
	/* the kernel writes as much as it knows, which may one day be more than these headers know */
	union { struct seccomp_notif asked; char room[1024]; } in;
	union { struct seccomp_notif_resp answer; char room[1024]; } out;
	memset(&in, 0, sizeof in);
	memset(&out, 0, sizeof out);
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in) != 0) return errno == ENOENT || errno == EINTR;
	out.answer.id = in.asked.id;
	switch (in.asked.data.nr) {
	case SYS_connect: out.answer.error = -carry_out_connect(listener, &in.asked, rights); break;
	case SYS_kill: case SYS_tkill: case SYS_tgkill: case SYS_rt_sigqueueinfo: case SYS_rt_tgsigqueueinfo:
		out.answer.error = -judge_signal(&in.asked);
		if (out.answer.error == 0) out.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		break;
	default: out.answer.error = -carry_out_metadata(listener, &in.asked, rights);
	}
	/* ENOENT: the caller was killed meanwhile */
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &out) == 0 || errno == ENOENT;
}
