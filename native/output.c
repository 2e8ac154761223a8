#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_SHOWN 8192

bool start_output(struct output *output, int fd)
{
	output->fd = fd;
	/* untouched pages cost nothing, so that a high limit is free for a quiet command */
	output->kept = malloc(2 * output->half);
	return output->kept != NULL && fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

static void keep(struct output *output, const char *bytes, size_t size)
{
	output->total += size;
	for (size_t done = 0; done < size;) {
		bool in_head = output->head < output->half;
		size_t at = in_head ? output->head : output->half + output->ring;
		size_t room = in_head ? output->half - output->head : output->half - output->ring;
		size_t part = size - done < room ? size - done : room;
		memcpy(output->kept + at, bytes + done, part);
		if (in_head) output->head += part;
		else output->ring = (output->ring + part) % output->half;
		done += part;
	}
}

static int shown = -1;

void show_in(const char *name)
{
	shown = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* How much was written so far, and the last of it. Nobody depends on it: what cannot be shown is left out. */
static void show(const char *bytes, size_t size)
{
	static struct { uint64_t total; char last[MOST_SHOWN]; } page;
	static size_t length;
	if (shown < 0) return;
	if (size > MOST_SHOWN) bytes += size - MOST_SHOWN, page.total += size - MOST_SHOWN, size = MOST_SHOWN;
	size_t kept = length + size > MOST_SHOWN ? MOST_SHOWN - size : length;
	memmove(page.last, page.last + length - kept, kept);
	memcpy(page.last + kept, bytes, size);
	length = kept + size;
	page.total += size;
	if (pwrite(shown, &page, sizeof page.total + length, 0) < 0) close(shown), shown = -1;
}

void drain(struct output *output)
{
	static char bytes[65536];
	/* a flood must not keep the loop from looking at the clock */
	for (int round = 0; round < 16 && output->fd >= 0; round++) {
		ssize_t size = read(output->fd, bytes, sizeof bytes);
		if (size > 0) {
			keep(output, bytes, (size_t)size);
			show(bytes, (size_t)size);
		} else if (size < 0 && errno == EAGAIN) {
			return;
		} else if (size == 0 || errno != EINTR) {
			close(output->fd);
			output->fd = -1;
		}
	}
}

size_t head_of(const struct output *output)
{
	return output->head;
}

size_t tail_of(const struct output *output)
{
	uint64_t behind = output->total - output->head;
	return behind < output->half ? (size_t)behind : output->half;
}

bool write_all(int file, const void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t part = write(file, (const char *)bytes + done, size - done);
		if (part < 0 && errno != EINTR) return false;
		if (part > 0) done += (size_t)part;
	}
	return true;
}

bool write_kept(int file, const struct output *output)
{
	size_t tail = tail_of(output);
	/* a full ring begins where the next byte would go, any other at its first place */
	size_t start = tail == output->half ? output->ring : 0;
	const char *ring = output->kept + output->half;
	return write_all(file, output->kept, output->head) && write_all(file, ring + start, tail - start) &&
	       write_all(file, ring, start);
}
