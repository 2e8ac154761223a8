/**
 * Owns: files that a model's call has written and that make other programs run, such as hooks of git. The sandbox cannot
 * forbid single files below the desk, so they are found right after the call, set aside before anybody else can use the
 * desk, and put in place if a person approves them.
 *
 * V1 What is set aside stays in the undo store; the desk has the state from before the call at these paths.
 * V2 The approval is bound to these files with just this content, and puts them in place without running the call again.
 * V4 A hidden file that nobody knows (find-triggers.ts) stays where the task itself asks for it, in a check of `accept:`.
 * V3 A call that failed is not asked about: its error says what was set aside.
 */
import { hash } from 'node:crypto';
import { describeCall } from '../../core/guard/describe-call.ts';
import { escapeInvisible, escapeInvisibleLine, shorten } from '../../core/guard/escape-invisible.ts';
import { ruleMatches } from '../../core/guard/rule-match.ts';
import { isInFolder } from '../../core/schema/folder.ts';
import type { Json } from '../../core/schema/json.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import { programTrigger } from '../../core/schema/program-triggers.ts';
import type { Outcome, ToolCall } from '../../core/schema/tool.ts';
import type { Asked, FilesAside, WaitFor } from '../../core/schema/wait.ts';
import type { TriggerChange } from '../../kit/desk/find-triggers.ts';
import { ancestorPaths, type Bytes, toShownPath } from '../../kit/desk/open-folder.ts';
import type { Action, Left, Step } from '../../kit/desk/plan-undo.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import { entryKind, FOLDER } from '../../kit/desk/snapshot-tree.ts';
import type { LoadedPolicy } from '../../kit/policy/policy-file.ts';

export type AsidePorts = {
  shadow: Pick<Snapshots, 'triggers' | 'change' | 'contentOf'>;
  policy: () => LoadedPolicy;
  clock: () => number;
  /** Paths, relative to the desk, that the task of a run asks for in its `accept:`; none when left out. */
  acceptedFiles?: (run: string) => Promise<readonly string[]>;
};

/** The state of the desk with the files in it, and which they are; `left` could not be set aside. */
export type SetAside = { tree: string; paths: Bytes[]; left: Left[] };

type AsideCall = Pick<ToolCall, 'run' | 'node' | 'call' | 'tool' | 'class' | 'input'>;

const HOUR_MS = 3_600_000;
const MOST_FILES = 1000;
const MOST_SHOWN = 20;
const MOST_TEXT = 4000;

/** Null when the step has written no such file. */
export async function setAside(
  ports: AsidePorts,
  { before, after }: Step,
  { run, tool, input }: Pick<AsideCall, 'run' | 'tool' | 'input'>,
): Promise<SetAside | null> {
  const found = (await withoutAccepted(ports, run, ports.shadow.triggers({ before, after }))).filter(
    ({ path }) => !isNamed(toShownPath(path), tool, input) && !isAllowed(ports, tool, toShownPath(path)),
  );
  if (found.length === 0) return null;
  const left = ports.shadow.change(found.map(({ path, before: to, after: from }): Action => ({ path, from, to })));
  return { tree: after, paths: found.map(({ path }) => path), left };
}

/** The triggers without those that the task asks for (V4). */
async function withoutAccepted(
  { acceptedFiles }: AsidePorts,
  run: string,
  found: TriggerChange[],
): Promise<TriggerChange[]> {
  if (acceptedFiles === undefined || !found.some(({ isUnknown }) => isUnknown)) return found;
  const accepted = await acceptedFiles(run);
  const isAccepted = (path: string): boolean => accepted.some((each) => isInFolder(path, each));
  return found.filter(({ path, isUnknown }) => !isUnknown || !isAccepted(toShownPath(path)));
}

/** A file tool that names such a path was asked about before it ran. */
function isNamed(path: string, tool: string, input: Json): boolean {
  if (tool === 'shell') return false;
  const named = ['path', 'from', 'to'].map((field) => jsonField(input, field));
  return named.some(
    (each) =>
      typeof each === 'string' && programTrigger(each) !== null && (path === each || path.startsWith(`${each}/`)),
  );
}

/** A rule of the policy may allow such a path. */
export function isAllowed({ policy }: AsidePorts, tool: string, path: string): boolean {
  const facts = {
    tool,
    class: 'write_local' as const,
    programs: [],
    paths: [path],
    hosts: [],
    risk: 'high' as const,
    destructive: true,
  };
  return policy().policy.rules.some(
    (rule) => rule.effect === 'allow' && rule.path !== undefined && ruleMatches(rule, facts) === 'yes',
  );
}

/** What becomes of the outcome of a call whose files were set aside (V3). */
export function askAboutAside(
  ports: AsidePorts,
  call: AsideCall,
  before: string,
  { tree, paths, left }: SetAside,
  outcome: Outcome,
): Outcome {
  const files = chosenTriggers(ports, before, tree, paths);
  const named = files.slice(0, 5).map(({ path, why }) => `${escapeInvisibleLine(toShownPath(path))} (${why})`);
  const what = `${named.join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`;
  if (left.length > 0)
    return {
      status: 'failed',
      temporary: false,
      error: `it wrote files that make other programs run, and they could not be set aside: ${left.map(({ path, why }) => `${path}: ${why}`).join('; ')}`,
    };
  const note = `It wrote files that make other programs run; they were set aside: ${what}`;
  if (outcome.status === 'failed') return { ...outcome, error: `${outcome.error}\n${note}` };
  if (outcome.status !== 'ok') return outcome;
  if (files.length > MOST_FILES) return { status: 'failed', temporary: false, error: note };
  const aside: FilesAside = { before, after: tree, paths, outcome: outcome as unknown as Json };
  return { status: 'waiting', for: questionAbout(ports, call, files, aside, what) };
}

function chosenTriggers(
  { shadow }: AsidePorts,
  before: string,
  after: string,
  paths: readonly Bytes[],
): TriggerChange[] {
  const chosen = new Set(paths);
  return shadow.triggers({ before, after }).filter(({ path }) => chosen.has(path));
}

function questionAbout(
  ports: AsidePorts,
  call: AsideCall,
  files: readonly TriggerChange[],
  aside: FilesAside,
  what: string,
): WaitFor {
  const { policy, sha256 } = ports.policy();
  const expires = new Date(ports.clock() + policy.approvals.expire_hours * HOUR_MS).toISOString();
  const why = `it has run, and wrote files that make other programs run outside the sandbox: ${what}. They were set aside`;
  const contents = files.slice(0, MOST_SHOWN).map((file) => ({
    path: shorten(escapeInvisibleLine(toShownPath(file.path)), 2000),
    why: shorten(escapeInvisibleLine(file.why), 2000),
    text: shorten(escapeInvisible(contentOf(ports, file)), MOST_TEXT),
  }));
  const { run, node, call: name, tool, class: effect, input } = call;
  const binding = hash(
    'sha256',
    JSON.stringify(['aside', run, node, name, aside.before, aside.after, aside.paths, expires]),
  );
  const asked = describeAside(call, why, files, sha256);
  const text = shorten(`${tool} ${escapeInvisibleLine(JSON.stringify(input))} (${effect}: ${why})`, 16_000);
  return {
    kind: 'approval',
    binding,
    text,
    expires,
    ...(asked === null ? {} : { asked: { ...asked, contents } }),
    aside,
  };
}

function describeAside(call: AsideCall, why: string, files: readonly TriggerChange[], policy: string): Asked | null {
  const described = describeCall(
    { ...call, author: 'model', origins: () => ({}) },
    {
      tool: call.tool,
      class: call.class,
      reason: why,
      command: call.tool === 'shell',
      net: false,
      internal: false,
      programs: [],
      paths: [],
      hosts: [],
      risk: 'high',
      destructive: true,
    },
    why,
    {
      policy,
      dir: null,
      env: [],
      files: files.map(({ path, after }) => ({ path: toShownPath(path), sha256: after.oid })),
    },
  );
  if (described === null) return null;
  const { grant: _, ...asked } = described;
  const changes = ['If you approve, the files below are put in place. The command does not run again.'];
  return { ...asked, changes };
}

function contentOf({ shadow }: AsidePorts, { after }: TriggerChange): string {
  const bytes = entryKind(after) === 'unkept' ? null : shadow.contentOf(after);
  if (bytes === null) return '[not stored: it was too large, not readable or not a file; it is not put in place]';
  return entryKind(after) === 'link' ? `[a link to] ${bytes.toString('utf8')}` : bytes.toString('utf8');
}

/** Puts the approved files in place (V2); the outcome is that of the call that wrote them. */
export function putInPlace(ports: AsidePorts, { before, after, paths, outcome }: FilesAside): Outcome {
  const files = chosenTriggers(ports, before, after, paths).filter((file) => entryKind(file.after) !== 'unkept');
  const folders = new Set(files.flatMap(({ path }) => ancestorPaths(path)));
  const left = ports.shadow.change([
    ...[...folders].toSorted().map((path): Action => ({ path, from: null, to: { mode: FOLDER | 0o755, oid: '' } })),
    ...files.map(({ path, before: from, after: to }): Action => ({ path, from, to })),
  ]);
  if (left.length === 0) return outcome as unknown as Outcome;
  const problems = left.map(({ path, why }) => `${path}: ${why}`).join('; ');
  return { status: 'failed', temporary: false, error: `not all approved files could be put in place: ${problems}` };
}
