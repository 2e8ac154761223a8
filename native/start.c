#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first comes with the end of the worker's terminal, the others in place of errors that are looked at. */
static const int ignored[] = { SIGHUP, SIGPIPE, SIGXFSZ };

void ignore_signals(bool ignore)
{
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], ignore ? SIG_IGN : SIG_DFL);
}

/* What goes between the command before it starts and us: a problem, or 0 and with it the listener of the filter. */
struct word {
	int problem;
	struct iovec bytes;
	struct msghdr message;
	_Alignas(struct cmsghdr) char passed[CMSG_SPACE(sizeof(int))];
};

static struct word *prepare_word(struct word *word)
{
	memset(word, 0, sizeof *word);
	word->bytes = (struct iovec){ &word->problem, sizeof word->problem };
	word->message = (struct msghdr){ .msg_iov = &word->bytes, .msg_iovlen = 1, .msg_control = word->passed,
	                                 .msg_controllen = sizeof word->passed };
	return word;
}

static bool pass_listener(int report, int listener)
{
	struct word room, *word = prepare_word(&room);
	struct cmsghdr *header = CMSG_FIRSTHDR(&word->message);
	*header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof listener), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(header), &listener, sizeof listener);
	return sendmsg(report, &word->message, 0) == sizeof word->problem;
}

static void become_the_command(const struct rights *rights, const char *folder, char **argv, int report, int out, int err,
                               pid_t launcher)
{
	sigset_t none;
	sigemptyset(&none);
	ignore_signals(false);
	bool piped = out < 0; /* it has our own stdin, stdout and stderr */
	int nothing = open("/dev/null", O_RDONLY);
	bool ready = sigprocmask(SIG_SETMASK, &none, NULL) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
	             getppid() == launcher && setsid() > 0 &&
	             (piped || (dup2(nothing, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)) && (folder == NULL || chdir(folder) == 0);
	int listener = ready ? enter_jail(rights) : -2;
	if (listener != -2 && (listener == -1 || pass_listener(report, listener)) &&
	    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		execvp(argv[0], argv);
	int problem = errno;
	_exit(write(report, &problem, sizeof problem) == sizeof problem ? 70 : 71);
}

/* The listener of the command's filter comes first, if there is one; then why it could not start, or the end. */
static void hear_of_start(int report, struct started *started)
{
	for (;;) {
		struct word room, *word = prepare_word(&room);
		ssize_t size = recvmsg(report, &word->message, MSG_CMSG_CLOEXEC);
		if (size < 0 && errno == EINTR) continue;
		if (size != sizeof word->problem) return;
		struct cmsghdr *header = CMSG_FIRSTHDR(&word->message);
		if (header != NULL && header->cmsg_type == SCM_RIGHTS) memcpy(&started->listener, CMSG_DATA(header), sizeof(int));
		if (word->problem != 0) started->problem = word->problem;
	}
}

struct started start_command(const struct rights *rights, const char *folder, char **argv, struct output *out,
                             struct output *err)
{
	int out_pipe[2] = { -1, -1 }, err_pipe[2] = { -1, -1 }, report[2];
	struct started started = { .pid = -1, .listener = -1 };
	pid_t launcher = getpid();
	bool captured = out != NULL;
	if (captured && (pipe2(out_pipe, O_CLOEXEC) != 0 || pipe2(err_pipe, O_CLOEXEC) != 0 ||
	                 !start_output(out, out_pipe[0]) || !start_output(err, err_pipe[0])))
		return started;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) != 0 || (started.pid = fork()) < 0) return started;
	if (started.pid == 0) become_the_command(rights, folder, argv, report[1], out_pipe[1], err_pipe[1], launcher);
	if (captured) close(out_pipe[1]), close(err_pipe[1]);
	close(report[1]);
	hear_of_start(report[0], &started);
	close(report[0]);
	return started;
}
