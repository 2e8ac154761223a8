/**
 * Owns: the folders outside the desk that are open to a run now, and asking a person about those that the policy does not
 * allow.
 *
 * G1 What is open is checked again for every call: a change of the policy counts at once, and a path that has become
 *    another folder is not opened.
 * G2 An approval is bound to the run and to the real paths. It is good for the rest of that task, and for no other.
 * G3 A folder that undo cannot restore is not written unless a person allowed that, and never by what a model wrote: what
 *    makes other programs run is found by the snapshots that undo needs.
 */
import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { RunState } from '../../core/engine/run-state.ts';
import type { FolderPlaces } from '../../core/guard/folder-paths.ts';
import type { OpenFolder } from '../../core/schema/folder.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ArtifactStore, Clock } from '../../core/schema/ports.ts';
import { isOfMail, TaskGiven } from '../../core/schema/task-run.ts';
import type { Outcome } from '../../core/schema/tool.ts';
import { isRestorable } from '../../kit/desk/restorable.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { folderPlaces, isInContainer } from '../../kit/settings.ts';
import { taskAround } from './accepted-files.ts';
import type { ApprovedFolders } from './approved-folders.ts';
import { foldersOfTask, type NamedFolder, type TaskFolders } from './task-folders.ts';
import type { LoadedPolicy } from '../../kit/policy/policy-file.ts';
import type { FolderGrants } from '../../kit/ports/folders-port.ts';

type FolderPorts = {
  home: Home;
  policy: () => LoadedPolicy;
  runs: Pick<Runs, 'stateOf' | 'eventsOf'>;
  artifacts: Pick<ArtifactStore, 'get'>;
  clock: Clock;
  /** Those that an approval has ever opened to writing. */
  approved: ApprovedFolders;
};

const HOUR_MS = 3_600_000;

export function openFolderGrants(ports: FolderPorts): FolderGrants {
  return {
    forCall: async ({ run, author }) => {
      const wanted = await wantedFolders(ports, run);
      if (wanted === null) return [];
      const approved = await approvedFolders(ports, wanted.task);
      const { open, asks } = wanted.folders;
      const allowed = asks.filter((each) => approved.has(lineOf(each)));
      for (const { path, access } of allowed) if (access === 'write') ports.approved.add(path);
      return [...open, ...allowed].map((each) =>
        restrict(each, author === 'operator' && (each.mayLose || approved.has(lineOf(each)))),
      );
    },
    forPlan: async (run) => {
      const wanted = await wantedFolders(ports, run);
      if (wanted === null) return { folders: [] };
      const { task, folders } = wanted;
      if (folders.problems.length > 0)
        return { outcome: { status: 'failed', temporary: false, error: describeProblems(folders) } };
      const approved = await approvedFolders(ports, task);
      const asks = [...folders.asks, ...folders.open.filter(isLossUnasked)].filter(
        (each) => !approved.has(lineOf(each)),
      );
      if (asks.length > 0) return { outcome: askForFolders(ports, task, asks) };
      return { folders: [...folders.open, ...folders.asks].map(({ path, access }) => ({ path, access })) };
    },
  };
}

const isLossUnasked = ({ path, access, mayLose }: NamedFolder): boolean =>
  access === 'write' && !mayLose && !isRestorable(path);

/** What of a folder is open; `mayLose` says whether it is written although undo cannot restore it (G3). */
function restrict({ path, access }: NamedFolder, mayLose: boolean): OpenFolder {
  return { path, access: access === 'write' && !mayLose && !isRestorable(path) ? 'read' : access };
}

/** Null when the run does not belong to a task, or there is nothing outside the desk that the task could have. */
async function wantedFolders(
  ports: FolderPorts,
  run: string,
): Promise<{ task: RunState; folders: TaskFolders } | null> {
  const task = await taskAround(ports.runs, run);
  const given = task === null ? undefined : TaskGiven.safeParse(task.input).data;
  const { policy } = ports.policy();
  if (task === null || given === undefined) return null;
  const { name, title, fields, body } = given;
  if (policy.folders.length === 0 && fields.reads === undefined && fields.writes === undefined) return null;
  const text = (await ports.artifacts.get({ sha256: body })).toString('utf8');
  const isMail = (await madeFrom(ports, task)).some(isOfMail);
  const about = { id: task.id, isOfMail: isMail, name, title, text: `${title}\n${text}`, fields };
  return { task, folders: foldersOfTask(about, policy.folders, placesIn(ports.home), ports.approved.list()) };
}

/** The name of a run, and of those that it was made from. */
async function madeFrom({ runs }: FolderPorts, { id, link }: RunState): Promise<string[]> {
  const names = [id];
  for (let from = link?.run; from !== undefined && !names.includes(from); from = (await runs.stateOf(from))?.link?.run)
    names.push(from);
  return names;
}

function placesIn(home: Home): FolderPlaces {
  return folderPlaces({ oka: realpathSync(home.oka), workspace: realpathSync(home.workspace) });
}

const lineOf = ({ path, access }: OpenFolder): string => `${access} ${path}`;

/** What people have approved for this task, as the pages showed it (G2). */
async function approvedFolders({ runs }: FolderPorts, task: RunState): Promise<Set<string>> {
  const asked = new Map<string, string[]>();
  const approved = new Set<string>();
  for (const { type, data } of await runs.eventsOf(task.id)) {
    if (type === 'wait.opened' && data.for.kind === 'approval' && data.for.asked?.tool === 'folders')
      asked.set(data.wait, data.for.asked.command.split('\n'));
    if (type === 'wait.closed' && data.answer.verdict === 'approved')
      for (const line of asked.get(data.wait) ?? []) approved.add(line);
  }
  return approved;
}

function askForFolders({ policy, clock }: FolderPorts, task: RunState, asks: readonly NamedFolder[]): Outcome {
  const lines = asks.map(lineOf);
  const binding = hash('sha256', JSON.stringify(['folders', task.id, lines]));
  const why = 'your task uses folders outside the desk, and the policy does not open them to it like this';
  const expires = new Date(clock() + policy().policy.approvals.expire_hours * HOUR_MS).toISOString();
  const text = `May this task use these folders? ${lines.join(', ')}`.slice(0, 16_000);
  const asked = {
    tool: 'folders',
    class: asks.some(({ access }) => access === 'write') ? ('write_local' as const) : ('read' as const),
    author: 'operator' as const,
    command: lines.join('\n'),
    why,
    env: [],
    values: [],
    changes: [
      ...asks.map(describeAccess),
      'The approval is for this task. To open a folder for good: folders: in .oka/rules/POLICY.md.',
    ],
    files: [],
    odd: [],
  };
  return { status: 'waiting', for: { kind: 'approval', binding, text, expires, asked } };
}

function describeAccess({ path, access }: NamedFolder): string {
  if (access === 'read')
    return `The steps of the task, and a model if one works on it, can read everything in ${path}.`;
  return isRestorable(path)
    ? `Files in ${path} can be created, changed and removed; oka undo restores them.`
    : `Files in ${path} can be created, changed and removed by commands of your own runbook. The folder is too large for oka undo: what is removed there is gone.`;
}

function describeProblems({ problems }: TaskFolders): string {
  return problems
    .map(({ written, problem, isMissing, access }) => {
      const mount = isMissing && isInContainer() ? `. ${mountAdvice(written, access)}` : '';
      return `the task names ${written}, which ${problem}${mount}`;
    })
    .join('\n');
}

/** How a folder of the machine gets into the container. */
export function mountAdvice(written: string, access: OpenFolder['access']): string {
  const line = `- ${written}:${written}${access === 'read' ? ':ro' : ''}`;
  return `In Docker it has to be mounted: add "${line}" to the volumes of the worker in docker-compose.yml, and run docker compose up --detach`;
}
