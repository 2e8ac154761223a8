import { join } from 'node:path';
import { eventsOfRun } from '../../daemon/home/replay-runs.ts';
import { findMark } from '../../guard/masked-text.ts';
import { redactShapes } from '../../guard/redact.ts';
import { addTask, type StoredTask } from '../../intake/add-task.ts';
import { openArtifacts } from '../../ledger/artifact-store.ts';
import { penHolder } from '../../ledger/pen.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Event } from '../../schema/event.ts';
import type { Home } from '../../schema/home.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { withReadingProgress } from '../read-views.ts';
import { runOperand } from '../find-run.ts';

type Received = Extract<Event, { type: 'task.received' }>['data'];
type Data = { again: string; added: string; title: string; worker: boolean };

export async function run(call: Call): Promise<Answer<Data>> {
  const again = await runOperand(call);
  const { home } = call;
  const events = await withReadingProgress(call, (reading) => eventsOfRun(home, again, reading));
  const received = events.find((event) => event.type === 'task.received');
  if (received?.type !== 'task.received')
    throw new OkaError('no-such-run', `"${again}" is not the run of a task from the inbox`, {
      fix: 'List the runs: oka runs',
    });
  const { name, title } = addTask(join(home.workspace, 'inbox'), await readStoredTask(home, again, received.data));
  return answer({ again, added: name, title, worker: penHolder(home.ledgers.run) !== null });
}

export const render = ({ title, worker }: Data): string =>
  `Added again: ${title}${worker ? '' : '\nNo worker is running; start one: oka up'}\n`;

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
  return { name: received.name, bytes: withoutId(body), files: isFile ? null : others };
}

/** An id of its own names one task only: the same id again would be refused. */
function withoutId(bytes: Buffer): Buffer {
  const text = bytes.toString();
  const head = /^\uFEFF?---\r?\n[\s\S]*?\n---/.exec(text)?.[0] ?? '';
  return Buffer.from(head.replace(/^id:.*\r?\n/m, '') + text.slice(head.length));
}
