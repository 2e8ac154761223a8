/** Owns: giving the task of an earlier run once more, from what the ledger and the artifacts have of it. */
import { join } from 'node:path';
import { findMark } from '../../core/guard/masked-text.ts';
import { redactShapes } from '../../core/guard/redact.ts';
import { addTask, LIMITS, type StoredTask } from '../../kit/inbox/add-task.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';

type Received = Extract<Event, { type: 'task.received' }>['data'];

/**
 * `events` are those of the earlier run. The task is put into the inbox; returns what it is called there. With an id it is
 * delivered under that name, and accepted once.
 */
export async function repeatTask(
  home: Home,
  run: string,
  events: readonly Event[],
  id?: string,
): Promise<{ name: string; title: string }> {
  const received = events.find((event) => event.type === 'task.received');
  if (received?.type !== 'task.received')
    throw new OkaError('no-such-run', `"${run}" is not the run of a task from the inbox`, {
      fix: 'List the runs: oka runs',
    });
  const stored = await readStoredTask(home, run, received.data);
  return addTask(join(home.workspace, 'inbox'), { ...stored, bytes: withId(stored.bytes, id) }, LIMITS, id);
}

async function readStoredTask(home: Home, run: string, received: Received): Promise<StoredTask> {
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redactShapes);
  const stored = await Promise.all([received.body, ...received.files].map((ref) => artifacts.get(ref)));
  if (stored.some((bytes) => findMark(bytes.toString('latin1')) !== null))
    throw new OkaError('refused', `the task of ${run} contained a secret, and secrets are not stored`, {
      fix: `Write the task again; the rest of its text is in workspace/outbox/${run}/TASK.md.`,
    });
  const [body = Buffer.alloc(0), ...contents] = stored;
  const files = received.files.map(({ name: path = '' }, index) => ({
    path,
    bytes: contents[index] ?? Buffer.alloc(0),
    mode: received.executable?.includes(path) === true ? 0o755 : 0o644,
  }));
  const others = [...files, ...(received.links ?? [])];
  const isFile = others.length === 0 && /\.(md|markdown|txt)$/i.test(received.name);
  return { name: received.name, bytes: body, files: isFile ? null : others };
}

/** An id of its own names one task only: the same id again would be refused. */
function withId(bytes: Buffer, id: string | undefined): Buffer {
  const text = bytes.toString();
  const head = /^\uFEFF?---\r?\n[\s\S]*?\n---/.exec(text)?.[0] ?? '';
  const others = head.replace(/^id:.*\r?\n/m, '');
  if (id === undefined) return Buffer.from(others + text.slice(head.length));
  if (head === '') return Buffer.from(`---\nid: ${id}\n---\n${text}`);
  return Buffer.from(others.replace(/\n/, `\nid: ${id}\n`) + text.slice(head.length));
}
