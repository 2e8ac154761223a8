/**
 * Owns: which folders outside the desk a task may use, by the policy and by what the task names.
 * Does not own: what a path leads to and what is never opened (core/guard/folder-paths.ts), asking a person (folder-grants.ts).
 *
 * 1. The policy opens a folder to the tasks that it is for. A task that names a folder in `reads:` or `writes:` gets exactly
 *    that one, where the policy allows it; else a person is asked.
 * 3. A task that an agent has started names nothing: neither its text nor its title opens a folder that the policy opens to
 *    some tasks only.
 * 2. Nothing that the policy does not open counts only because the text of a task mentions it.
 */
import { join } from 'node:path';
import {
  expandFolder,
  findFolder,
  type FolderPlaces,
  type FoundFolder,
  whyNeverOpened,
} from '../../core/guard/folder-paths.ts';
import { isDeskPath, toDeskPath } from '../../kit/desk/reach.ts';
import { matchesGlob } from '../../kit/text/glob.ts';
import { isInFolder, type OpenFolder, type PolicyFolder } from '../../core/schema/folder.ts';
import type { TaskFile } from '../../core/schema/task-file.ts';

export type AboutTask = {
  id: string;
  /** Whether it came in as a mail, or does the task of one again. */
  isOfMail: boolean;
  /** Name of the file or folder that came in. */
  name: string;
  title: string;
  /** What the person wrote. */
  text: string;
  fields: Pick<TaskFile, 'reads' | 'writes' | 'tags' | 'from_chat'>;
};

/** A folder with its real path, as the person wrote it, and whether writing there is fine although undo cannot restore it. */
export type NamedFolder = OpenFolder & { written: string; mayLose: boolean };

export type TaskFolders = {
  open: NamedFolder[];
  /** Those that the task names and the policy does not allow. */
  asks: NamedFolder[];
  /** Why the task cannot have what it names. */
  problems: { written: string; problem: string; isMissing: boolean; access: OpenFolder['access'] }[];
};

/** `approved` are the folders that some task could change by an approval. */
export function foldersOfTask(
  task: AboutTask,
  policy: readonly PolicyFolder[],
  places: FolderPlaces,
  approved: readonly string[] = [],
): TaskFolders {
  const writable = [...writablePlaces(policy, places), ...approved];
  const find = (written: string, access: OpenFolder['access']): FoundFolder =>
    findOpenable(written, access, places, writable);
  const roots = policy.flatMap((entry) => {
    const found = find(entry.path, entry.access);
    return 'real' in found ? [{ ...entry, real: found.real }] : [];
  });
  const found: TaskFolders = { open: [], asks: [], problems: [] };
  for (const root of roots)
    if (isForTask(root, task, places.user)) found.open.push(toNamed(root, root.real, root.path, root.access));
  for (const access of ['read', 'write'] as const)
    for (const written of (access === 'read' ? task.fields.reads : task.fields.writes) ?? []) {
      if (isDeskPath(written)) {
        if (toDeskPath(written) === null)
          found.problems.push({ written, problem: 'leads out of the desk', isMissing: false, access });
        continue;
      }
      const named = find(written, access);
      if ('problem' in named) {
        found.problems.push({ written, problem: named.problem, isMissing: named.isMissing === true, access });
        continue;
      }
      const root = roots.find((each) => allowsNamed(each, named.real, access, task));
      if (root === undefined) found.asks.push(toNamed(null, named.real, written, access));
      else found.open.push(toNamed(root, named.real, written, access));
    }
  return { ...found, open: withoutDuplicates(found.open), asks: withoutDuplicates(found.asks) };
}

/** The folders of the policy that can be opened to no task. */
export function policyFolderProblems(
  policy: readonly PolicyFolder[],
  places: FolderPlaces,
  approved: readonly string[],
): TaskFolders['problems'] {
  const writable = [...writablePlaces(policy, places), ...approved];
  return policy.flatMap(({ path: written, access }) => {
    const found = findOpenable(written, access, places, writable);
    return 'real' in found ? [] : [{ written, problem: found.problem, isMissing: found.isMissing === true, access }];
  });
}

/** Where tasks can make links: the desk, and every folder that the policy lets them change, as written and as it really is. */
function writablePlaces(policy: readonly PolicyFolder[], { workspace, user }: FolderPlaces): string[] {
  const desk = join(workspace, 'desk');
  const changed = policy.filter(({ access }) => access === 'write').map(({ path }) => expandFolder(path, user));
  const paths = changed.flatMap((each) => ('path' in each ? [each.path] : []));
  const real = paths.map((path) => findFolder(path, [desk])).flatMap((each) => ('real' in each ? [each.real] : []));
  return [desk, ...paths, ...real];
}

function findOpenable(
  written: string,
  access: OpenFolder['access'],
  places: FolderPlaces,
  writable: readonly string[],
): FoundFolder {
  const expanded = expandFolder(written, places.user);
  if ('problem' in expanded) return expanded;
  const found = findFolder(
    expanded.path,
    writable.filter((folder) => folder !== expanded.path),
  );
  if ('problem' in found) return found;
  const why = whyNeverOpened({ path: found.real, access }, places);
  return why === null ? found : { problem: `is never opened: ${why}` };
}

function isForTask({ path, tasks }: PolicyFolder, task: AboutTask, user: string | null): boolean {
  if (tasks === 'all') return true;
  if (!isOfPerson(task)) return false;
  return tasks === 'named' ? isMentioned(path, task, user) : isListed(tasks, task);
}

function allowsNamed(
  { real, access: allowed, tasks }: PolicyFolder & { real: string },
  path: string,
  access: OpenFolder['access'],
  task: AboutTask,
): boolean {
  if (!isInFolder(path, real) || (access === 'write' && allowed === 'read')) return false;
  if (tasks !== 'all' && !isOfPerson(task)) return false;
  return typeof tasks === 'string' || isListed(tasks, task);
}

/** Neither an agent nor whoever has sent a mail opens a folder with what they write. */
const isOfPerson = ({ isOfMail, fields }: AboutTask): boolean => fields.from_chat === undefined && !isOfMail;

function isListed(globs: readonly string[], { id, name, title, fields: { tags = [] } }: AboutTask): boolean {
  const names = [id, title, name, name.replace(/\.[^.]*$/, ''), ...tags].map((each) => each.toLowerCase());
  return globs.some((glob) => names.some((each) => matchesGlob(glob.toLowerCase(), each)));
}

/** Whether the person wrote the path of the folder, or of something in it. */
function isMentioned(path: string, { text }: AboutTask, user: string | null): boolean {
  const expanded = expandFolder(path, user);
  const forms = 'path' in expanded ? [path.replace(/\/+$/, ''), expanded.path] : [path];
  return forms.some((form) => {
    const quoted = form.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return new RegExp(String.raw`(?<![\w./~-])${quoted}(?![\w-]|\.\w)`).test(text);
  });
}

const toNamed = (
  root: PolicyFolder | null,
  path: string,
  written: string,
  access: OpenFolder['access'],
): NamedFolder => ({ path, access, written, mayLose: root?.undo === 'none' });

/** Each path once, to writing if it is open to that at all. */
function withoutDuplicates(folders: readonly NamedFolder[]): NamedFolder[] {
  const found = new Map<string, NamedFolder>();
  for (const folder of folders) if (found.get(folder.path)?.access !== 'write') found.set(folder.path, folder);
  return [...found.values()];
}
