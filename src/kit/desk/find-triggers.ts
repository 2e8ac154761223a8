/**
 * Owns: finding, between two snapshots of the desk, files that make other programs run something
 * (core/schema/program-triggers.ts), by what they contain.
 *
 * What git writes with every command of its own is not among them: sample hooks, objects, and settings that run nothing.
 * Neither are files that are gone, what packages contain in the folder of a package manager, and a copy of a file that was
 * one before.
 *
 * No list of such files is complete. So a hidden name, and at the top of a project one of settings, that was not there before
 * and is not known to be harmless, is found as well (`isUnknown`).
 */
import { ledElsewhere, runningSettings } from '../../core/guard/git-settings.ts';
import { isUnknownSettings, programTrigger, unknownHidden } from '../../core/schema/program-triggers.ts';
import { baseName, type Bytes, parentPath, toShownPath } from './open-folder.ts';
import type { Objects } from './object-store.ts';
import type { Step } from './plan-undo.ts';
import { type Change, differences, type Entry, entryKind, flattenTree, getTree } from './snapshot-tree.ts';

export type TriggerChange = Change & { after: Entry; why: string; isUnknown?: true };

/** Their files are code that runs only when it is used, and packages contain files of every kind. */
const DEPENDENCIES = /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|venv)\//;
/** What makes a folder a repository. */
const MARKERS = new Set(['HEAD', 'commondir', 'objects', 'refs']);
const GIT_DATA =
  /^(?:objects|refs|logs|info|modules|worktrees|branches|lfs|[A-Z_]+_HEAD|HEAD|index|packed-refs|description)(?:\/|$)/;
const CONFIG = /^config(?:\.worktree)?$/;

export function findTriggers(objects: Objects, { before, after }: Step): TriggerChange[] {
  const trees = { objects, before: treeReader(objects, before), after: treeReader(objects, after) };
  const found = differences(objects, before, after).flatMap((change): TriggerChange[] => {
    if (change.after === null || entryKind(change.after) === 'folder') return [];
    const why = whyTrigger(trees, change);
    if (why !== null) return [{ ...change, after: change.after, why }];
    const unknown = whyUnknown(trees, change);
    return unknown === null ? [] : [{ ...change, after: change.after, why: unknown, isUnknown: true }];
  });
  return found.length === 0 ? [] : withoutCopies(objects, before, found);
}

type Tree = { names: (folder: Bytes) => ReadonlyMap<Bytes, Entry>; at: (path: Bytes) => Entry | null };
type Trees = { objects: Objects; before: Tree; after: Tree };

function treeReader(objects: Objects, root: string): Tree {
  const known = new Map<Bytes, ReadonlyMap<Bytes, Entry>>([['', getTree(objects, root)]]);
  const names = (folder: Bytes): ReadonlyMap<Bytes, Entry> => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const entry = names(parentPath(folder)).get(baseName(folder));
    const found =
      entry === undefined || entryKind(entry) !== 'folder' ? new Map<Bytes, Entry>() : getTree(objects, entry.oid);
    known.set(folder, found);
    return found;
  };
  return { names, at: (path) => names(parentPath(path)).get(baseName(path)) ?? null };
}

function whyTrigger(trees: Trees, change: Change): string | null {
  const path = toShownPath(change.path);
  const repository = repositoryOf(trees.after, change.path);
  if (repository !== null) {
    const inside = change.path.slice(repository === '' ? 0 : repository.length + 1);
    const why = whyInRepository(trees, change, repository, inside);
    if (why !== null || isGitFolder(repository) || GIT_DATA.test(inside)) return why;
  }
  if (baseName(change.path).toLowerCase() === '.git') return null; // it only says where the repository is
  if (path.endsWith('/.gitmodules') || path === '.gitmodules') return whyOfSettings(trees, change);
  return DEPENDENCIES.test(path) ? null : programTrigger(path);
}

/** What makes a folder the top of a project. */
const PROJECT = ['package.json', '.git', 'pyproject.toml', 'Makefile', 'Cargo.toml', 'go.mod'];

function whyUnknown({ before, after }: Trees, { path, before: known }: Change): string | null {
  if (DEPENDENCIES.test(path)) return null;
  const hidden = unknownHidden(path);
  if (hidden !== null && before.at(hidden) === null)
    return 'it is hidden, was not there before, and it is not known which program obeys it';
  const folder = parentPath(path);
  const isTop = folder === '' || PROJECT.some((name) => after.names(folder).has(name));
  return known === null && isTop && isUnknownSettings(baseName(path))
    ? 'it has the name of settings, was not there before, and it is not known which program obeys it'
    : null;
}

const isGitFolder = (folder: Bytes): boolean => /(?:^|\/)\.git(?:\/|$)/i.test(folder);

/** The nearest folder around a path that git would take for a repository, or for a part of one. */
function repositoryOf(tree: Tree, path: Bytes): Bytes | null {
  for (let folder = parentPath(path); ; folder = parentPath(folder)) {
    if (isRepository(tree, folder)) return folder;
    if (folder === '') return null;
  }
}

function isRepository(tree: Tree, folder: Bytes): boolean {
  const names = tree.names(folder);
  return baseName(folder).toLowerCase() === '.git' || names.has('HEAD') || (names.has('objects') && names.has('refs'));
}

function whyInRepository(trees: Trees, change: Change, folder: Bytes, inside: Bytes): string | null {
  if (CONFIG.test(inside)) return whyOfSettings(trees, change);
  if (isHook(inside, change.after)) return 'git runs it as a hook';
  const [marker = ''] = inside.split('/');
  if (!MARKERS.has(marker) || isRepository(trees.before, folder)) return null;
  const names = [...trees.after.names(folder).keys()];
  const hooks = [...trees.after.names(folder === '' ? 'hooks' : `${folder}/hooks`)];
  const runs =
    hooks.some(([name, entry]) => isHook(`hooks/${name}`, entry)) ||
    names.some((name) => CONFIG.test(name) && settingsOf(trees.objects, trees.after.at(join(folder, name))).length > 0);
  return runs ? 'it makes the folder a repository of git, whose hooks or settings run programs' : null;
}

const join = (folder: Bytes, name: Bytes): Bytes => (folder === '' ? name : `${folder}/${name}`);

function isHook(inside: Bytes, entry: Entry | null): boolean {
  if (entry !== null && inside.toLowerCase() === 'hooks') return entryKind(entry) !== 'folder';
  return /^hooks\//i.test(inside) && !inside.endsWith('.sample');
}

function whyOfSettings({ objects }: Trees, { before, after }: Change): string | null {
  const known = settingsOf(objects, before);
  const added = settingsOf(objects, after).filter((setting) => !known.includes(setting));
  if (added.length > 0) return `git takes commands to run from there: ${added.slice(0, 5).join(', ')}`;
  if (before === null || entryKind(before) !== 'file' || after === null) return null;
  const configText = ({ oid }: Entry): string => objects.get('blob', oid).toString('utf8');
  const led = ledElsewhere(configText(before), configText(after));
  return led.length === 0 ? null : `git would send to or fetch from elsewhere: ${led.slice(0, 5).join(', ')}`;
}

function settingsOf(objects: Objects, entry: Entry | null): string[] {
  if (entry === null) return [];
  if (entryKind(entry) !== 'file') return ['it is not a file that can be read'];
  return runningSettings(objects.get('blob', entry.oid).toString('utf8'));
}

/** Moving or copying a folder with such a file makes nothing run that was not there. */
function withoutCopies(objects: Objects, before: string, found: readonly TriggerChange[]): TriggerChange[] {
  const known = new Set<string>();
  for (const [path, entry] of flattenTree(objects, before))
    if (programTrigger(toShownPath(path)) !== null || unknownHidden(path) !== null) known.add(identity(path, entry));
  return found.filter(({ path, after }) => entryKind(after) !== 'file' || !known.has(identity(path, after)));
}

const identity = (path: Bytes, { mode, oid }: Entry): string => `${mode} ${oid} ${baseName(path)}`;
