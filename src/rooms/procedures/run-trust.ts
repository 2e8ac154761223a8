/**
 * Owns: whether a run may serve as a sample for a procedure.
 *
 * Tool output must not become a habit of the assistant. So a run is not trusted when an agent of a conversation has started
 * its task, when it was replanned after steps had
 * run, when a step exceeded its rights, when the guard or a person refused a call, when a command was denied a host, or
 * when its plan names a host, a mailbox or a secret that the task does not name, or has a value that is not in it: an account,
 * a long number, or a number in a text that it writes. What a plan is made from is the task alone.
 */
import type { Event } from '../../core/schema/event.ts';
import type { Graph } from '../../core/schema/graph.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import { rootOf } from '../../kit/learning/task-record.ts';

const taintKey = (run: string): string => `procedures/tainted/${run}`;

export const isTainted = (rows: Rows, run: string): boolean => rows.get<boolean>(taintKey(run)) === true;

export const forgetTaint = (rows: Rows, run: string): void => rows.put(taintKey(run), null);

export function recordTaint(rows: Rows, event: Event): void {
  if (event.run === null) return;
  const isOfAgent =
    event.type === 'run.started' && (event.data.input as Partial<TaskGiven> | null)?.fields?.from_chat !== undefined;
  const isDenied = event.type === 'call.ended' && event.data.status === 'denied';
  const isRefused = event.type === 'egress.decided' && event.data.verdict === 'refused';
  if (isOfAgent || isDenied || isRefused) rows.put(taintKey(rootOf(rows, event.run)), true);
}

const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s/"'`?#\\]{1,253})/gi;
const MAILBOX = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;
const SECRET = /\bsecret:([\w-]{1,100})/g;
const MAX_READ = 200_000;

/** Returns the hosts, mailboxes, secrets and values that the plan names and the task does not. */
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
  const targets = [...new Set(found)].filter((each) => each !== '' && !stated.includes(each.toLowerCase()));
  return [...targets, ...unaskedValues(nodes, plan, text)];
}

const ACCOUNT = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{2,4}){3,8}\b/g;
const LONG_NUMBER = /\d(?:[ .\-/]?\d){5,}/g;
const NUMBER = /\d(?:[.,]?\d){2,}/g;
/** A day is computed from the clock, and is a parameter of a procedure. */
const DAY =
  /\b20\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])\b|\b(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])[./]20\d\d\b/g;

/** Values of the plan that are not in the task, however they are grouped there. */
function unaskedValues(nodes: Graph['nodes'], plan: string, text: string): string[] {
  const bare = (value: string): string => value.toUpperCase().replaceAll(/[^A-Z\d]/g, '');
  const stated = bare(text);
  const written = textsWritten(nodes).replaceAll(DAY, ' ');
  const values = [
    ...(plan.match(ACCOUNT) ?? []),
    ...(plan.replaceAll(DAY, ' ').match(LONG_NUMBER) ?? []),
    ...(written.match(NUMBER) ?? []),
  ];
  return [...new Set(values)].filter((value) => !stated.includes(bare(value)));
}

/** What the plan itself says that files are to contain: the contents that it writes, and the texts that its commands print. */
export function textsWritten(nodes: Graph['nodes']): string {
  return nodes
    .flatMap((node) => {
      const input = node.kind === 'tool' ? node.input : null;
      if (input === null || typeof input !== 'object' || Array.isArray(input)) return [];
      const { content, line, new: put, argv } = input;
      const command = Array.isArray(argv) ? argv.map(String).join(' ') : line;
      const printed = node.kind === 'tool' && node.tool === 'shell' && typeof command === 'string' ? command : '';
      return [...[content, put].filter((text) => typeof text === 'string'), ...textsPrinted(printed)];
    })
    .join('\n');
}

const PRINTED = /\b(?:echo|printf)\b([^|;&\n]*)/g;
const HERE_DOCUMENT = /<<-?\s*(["']?)(\w+)\1[^\n]*\n([\s\S]*?)\n\s*\2\b/g;
/** What a shell makes something else of: options, substitutions, formats, and where it goes. */
const NO_TEXT = /\s-\w+|\$\([^)]*\)|`[^`]*`|\$\{?\w+\}?|%-?[\d.]*[a-z]|\\[a-z0-9]|>{1,2}\s*\S+/g;

function textsPrinted(line: string): string[] {
  const printed = [...line.matchAll(PRINTED)].map(([, text = '']) => text);
  const here = [...line.matchAll(HERE_DOCUMENT)].map(([, , , text = '']) => text);
  return [...printed, ...here].map((text) => text.replaceAll(NO_TEXT, ' '));
}

/** The hosts that commands request. */
function hostsOfTools(nodes: Graph['nodes']): string[] {
  return nodes.flatMap((node) => {
    const input = node.kind === 'tool' ? node.input : null;
    const net = input !== null && typeof input === 'object' && !Array.isArray(input) ? input?.['net'] : undefined;
    return Array.isArray(net) ? net.map(String) : [];
  });
}
