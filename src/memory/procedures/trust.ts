/**
 * Owns: whether a run may be what a procedure is made of.
 *
 * What a tool or a page said must not become what the assistant does by habit. So a run is no evidence when it was
 * planned anew after its steps had spoken, when a step tried more than it may, when the guard or a person refused a
 * call, when a command was kept from a host, or when its plan names a host, a mailbox or a secret that the task does not.
 */
import type { Event } from '../../schema/event.ts';
import type { Graph } from '../../schema/graph.ts';
import type { Rows } from '../../schema/rows.ts';
import { rootOf } from '../task-record.ts';

const keyOf = (run: string): string => `procedures/tainted/${run}`;

export const isTainted = (book: Rows, run: string): boolean => book.get<boolean>(keyOf(run)) === true;

export const forgetTaint = (book: Rows, run: string): void => book.put(keyOf(run), null);

export function noteTaint(book: Rows, event: Event): void {
  if (event.run === null) return;
  const isDenied = event.type === 'call.ended' && event.data.status === 'denied';
  const isKept = event.type === 'egress.decided' && event.data.verdict === 'refused';
  if (isDenied || isKept) book.put(keyOf(rootOf(book, event.run)), true);
}

const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s/"'`?#\\]{1,253})/gi;
const MAILBOX = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;
const SECRET = /\bsecret:([\w-]{1,100})/g;
const MOST_READ = 200_000;

/** What the plan reaches out to and the task does not name. */
export function unasked({ nodes }: Pick<Graph, 'nodes'>, text: string): string[] {
  const told = text.toLowerCase();
  const plan = JSON.stringify(nodes).slice(0, MOST_READ);
  const inAddresses = [...plan.matchAll(ADDRESS)].map(
    (found) => found[1]?.split('@').at(-1)?.replace(/:\d+$/, '') ?? '',
  );
  const found = [
    ...inAddresses,
    ...(plan.match(MAILBOX) ?? []),
    ...[...plan.matchAll(SECRET)].map((each) => each[1] ?? ''),
    ...hostsOfTools(nodes),
  ];
  return [...new Set(found)].filter((each) => each !== '' && !told.includes(each.toLowerCase()));
}

/** Hosts that a command asks to reach. */
function hostsOfTools(nodes: Graph['nodes']): string[] {
  return nodes.flatMap((node) => {
    const input = node.kind === 'tool' ? node.input : null;
    const net = input !== null && typeof input === 'object' && !Array.isArray(input) ? input?.['net'] : undefined;
    return Array.isArray(net) ? net.map(String) : [];
  });
}
