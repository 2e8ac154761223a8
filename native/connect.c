/*
 * Landlock knows ports and no addresses: a command that may reach the proxy's port could reach that port on any machine.
 * So the filter hands connect over, and the connection is made here, to the one address that was given at the start, and
 * put in the place of the caller's socket. The address that the caller names is read once and only compared.
 */
#define _GNU_SOURCE
#include "launch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_SECONDS 5

/* "127.0.0.1:8080" or "[::1]:8080"; false when it is neither. */
bool parse_peer(const char *text, struct sockaddr_in6 *peer)
{
	char host[64];
	const char *colon = strrchr(text, ':');
	if (colon == NULL || (size_t)(colon - text) >= sizeof host) return false;
	bool is_v6 = text[0] == '[' && colon > text + 1 && colon[-1] == ']';
	size_t length = (size_t)(colon - text) - (is_v6 ? 2 : 0);
	memcpy(host, text + (is_v6 ? 1 : 0), length);
	host[length] = '\0';
	char *end, mapped[80];
	long port = strtol(colon + 1, &end, 10);
	if (end == colon + 1 || *end != '\0' || port < 1 || port > UINT16_MAX) return false;
	snprintf(mapped, sizeof mapped, "%s%s", is_v6 ? "" : "::ffff:", host);
	memset(peer, 0, sizeof *peer);
	peer->sin6_family = AF_INET6;
	peer->sin6_port = htons((uint16_t)port);
	return inet_pton(AF_INET6, mapped, &peer->sin6_addr) == 1;
}

/* What the caller names, with IPv4 as mapped IPv6, so that both can be compared alike. */
static int named_peer(const struct seccomp_notif *asked, struct sockaddr_in6 *peer)
{
	union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; } named;
	size_t length = (size_t)asked->data.args[2];
	if (length < sizeof(sa_family_t) || length > sizeof(struct sockaddr_storage)) return EINVAL;
	if (length > sizeof named) length = sizeof named;
	memset(&named, 0, sizeof named);
	if (read_memory((pid_t)asked->pid, asked->data.args[1], &named, length) != (ssize_t)length) return EFAULT;
	memset(peer, 0, sizeof *peer);
	peer->sin6_family = AF_INET6;
	if (named.any.sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
		peer->sin6_port = named.v6.sin6_port;
		peer->sin6_addr = named.v6.sin6_addr;
	} else if (named.any.sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
		peer->sin6_port = named.v4.sin_port;
		peer->sin6_addr.s6_addr[10] = peer->sin6_addr.s6_addr[11] = 0xff;
		memcpy(&peer->sin6_addr.s6_addr[12], &named.v4.sin_addr, sizeof named.v4.sin_addr);
	} else
		return EACCES;
	return 0;
}

static bool is_allowed(const struct sockaddr_in6 *peer, const struct rights *rights)
{
	for (int i = 0; i < rights->peers; i++)
		if (rights->peer[i].sin6_port == peer->sin6_port &&
		    memcmp(&rights->peer[i].sin6_addr, &peer->sin6_addr, sizeof peer->sin6_addr) == 0)
			return true;
	return false;
}

/* A blocking connection; the proxy is near. Less than 0 with errno set. */
static int open_connection(const struct sockaddr_in6 *peer)
{
	struct timeval patience = { .tv_sec = CONNECT_SECONDS };
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(&peer->sin6_addr);
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = peer->sin6_port };
	memcpy(&v4.sin_addr, &peer->sin6_addr.s6_addr[12], sizeof v4.sin_addr);
	int connection = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connection < 0) return -1;
	setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	const struct sockaddr *address = is_v4 ? (const struct sockaddr *)&v4 : (const struct sockaddr *)peer;
	if (connect(connection, address, is_v4 ? sizeof v4 : sizeof *peer) != 0) {
		int error = errno == EINPROGRESS || errno == EAGAIN ? ETIMEDOUT : errno;
		close(connection);
		errno = error;
		return -1;
	}
	setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ 0 }, sizeof patience);
	return connection;
}

/* The flags of the caller's socket; -1 with errno set when it has no such socket. */
static int flags_of_socket(const struct seccomp_notif *asked)
{
	char name[64], text[256];
	int fd = (int)asked->data.args[0];
	snprintf(name, sizeof name, "/proc/%d/fd/%d", asked->pid, fd);
	ssize_t size = readlink(name, text, sizeof text - 1);
	errno = size < 0 ? EBADF : ENOTSOCK;
	if (size < 0 || strncmp(text, "socket:", strlen("socket:")) != 0) return -1;
	snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", asked->pid, fd);
	int info = open(name, O_RDONLY | O_CLOEXEC);
	if (info < 0) return -1;
	size = read(info, text, sizeof text - 1);
	close(info);
	text[size > 0 ? size : 0] = '\0';
	const char *flags = strstr(text, "flags:");
	return flags == NULL ? 0 : (int)strtol(flags + strlen("flags:"), NULL, 8);
}

/* Puts the connection where the caller's socket was. */
static int hand_over(int listener, const struct seccomp_notif *asked, int connection, int flags)
{
	struct seccomp_notif_addfd place = {
		.id = asked->id,
		.flags = SECCOMP_ADDFD_FLAG_SETFD,
		.srcfd = (uint32_t)connection,
		.newfd = (uint32_t)asked->data.args[0],
		.newfd_flags = flags & O_CLOEXEC ? O_CLOEXEC : 0,
	};
	if (flags & O_NONBLOCK) fcntl(connection, F_SETFL, O_NONBLOCK);
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &place) < 0 ? errno : 0;
}

int carry_out_connect(int listener, const struct seccomp_notif *asked, const struct rights *rights)
{
	struct sockaddr_in6 peer;
	int error = named_peer(asked, &peer);
	if (error != 0) return error;
	if (!is_allowed(&peer, rights)) return EACCES;
	int flags = flags_of_socket(asked);
	if (flags < 0) return errno;
	/* while the request stands, what was read above was the caller's and not that of a later process of this number */
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked->id) != 0) return ESRCH;
	int connection = open_connection(&peer);
	if (connection < 0) return errno;
	error = hand_over(listener, asked, connection, flags);
	close(connection);
	return error;
}
