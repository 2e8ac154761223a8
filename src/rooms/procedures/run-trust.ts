/**
 * Owns: whether a run may serve as a sample for a procedure.
 *
 * Tool output must not become a habit of the assistant. So a run is not trusted when it was replanned after steps had
 * run, when a step exceeded its rights, when the guard or a person refused a call, when a command was denied a host, or
 * when its plan names a host, a mailbox or a secret that the task does not name.
 */
import type { Event } from '../../core/schema/event.ts';
import type { Graph } from '../../core/schema/graph.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { rootOf } from '../../kit/learning/task-record.ts';

const taintKey = (run: string): string => `procedures/tainted/${run}`;

export const isTainted = (rows: Rows, run: string): boolean => rows.get<boolean>(taintKey(run)) === true;

export const forgetTaint = (rows: Rows, run: string): void => rows.put(taintKey(run), null);

export function recordTaint(rows: Rows, event: Event): void {
  if (event.run === null) return;
  const isDenied = event.type === 'call.ended' && event.data.status === 'denied';
  const isRefused = event.type === 'egress.decided' && event.data.verdict === 'refused';
  if (isDenied || isRefused) rows.put(taintKey(rootOf(rows, event.run)), true);
}

const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s/"'`?#\\]{1,253})/gi;
const MAILBOX = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;
const SECRET = /\bsecret:([\w-]{1,100})/g;
const MAX_READ = 200_000;

/** Returns the hosts, mailboxes and secrets that the plan names and the task does not. */
export function unaskedTargets({ nodes }: Pick<Graph, 'nodes'>, text: string): string[] {
  const stated = text.toLowerCase();
  const plan = JSON.stringify(nodes).slice(0, MAX_READ);
  const inAddresses = [...plan.matchAll(ADDRESS)].map(
    (found) => found[1]?.split('@').at(-1)?.replace(/:\d+$/, '') ?? '',
  );
  const found = [
    ...inAddresses,
    ...(plan.match(MAILBOX) ?? []),
    ...[...plan.matchAll(SECRET)].map((each) => each[1] ?? ''),
    ...hostsOfTools(nodes),
  ];
  return [...new Set(found)].filter((each) => each !== '' && !stated.includes(each.toLowerCase()));
}

/** The hosts that commands request. */
function hostsOfTools(nodes: Graph['nodes']): string[] {
  return nodes.flatMap((node) => {
    const input = node.kind === 'tool' ? node.input : null;
    const net = input !== null && typeof input === 'object' && !Array.isArray(input) ? input?.['net'] : undefined;
    return Array.isArray(net) ? net.map(String) : [];
  });
}
