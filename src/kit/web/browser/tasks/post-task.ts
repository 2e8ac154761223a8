/** Sends a new task: words as JSON, files as bytes behind one line that lists them. */
import { ApiError, post } from '../api.ts';
import { askServer } from '../session-key.ts';
import type { ShownError } from '../start.ts';
import type { Chosen } from './dropped-entries.ts';
import { t } from '../words.ts';

/** `timezone` is that of `every`: of the reader, unless it is said. */
type NewTask = { text: string; every: string; timezone?: string; files: readonly Chosen[] };
type Added = { name: string; title: string; next: string[] };

export async function postTask({ text, every, timezone = ownZone(), files }: NewTask): Promise<Added[]> {
  const words = { text, ...(every.trim() === '' ? {} : { every: every.trim(), timezone }) };
  if (files.length === 0) return (await post<{ tasks: Added[] }>('tasks', words)).tasks;
  const head = { ...words, files: files.map(({ path, file }) => ({ path, size: file.size })) };
  return sendBytes(new Blob([`${JSON.stringify(head)}\n`, ...files.map(({ file }) => file)]));
}

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

async function sendBytes(body: Blob): Promise<Added[]> {
  const response = await askServer('/api/v1/tasks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream' },
    body,
  }).catch(() => null); // offline is said below
  // no JSON: the same is said
  const answer = (await response?.json().catch(() => null)) as { tasks?: Added[]; error?: ShownError } | null;
  if (answer?.tasks !== undefined) return answer.tasks;
  throw new ApiError(
    answer?.error ?? {
      code: 'offline',
      message: t('The files could not be sent.'),
      fix: t('Are they still there, and is oka running?'),
    },
  );
}
