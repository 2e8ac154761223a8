/** Owns: what a task has left behind, as sections of RESULT.md: files, pictures, packages, and hosts that were asked. */
import { triggersAmong } from '../../../core/schema/program-triggers.ts';
import { formatLink, formatPicture, inlineCode } from '../../../kit/text/markdown-escape.ts';
import type { ResultFacts } from '../../../kit/runs/result-content.ts';
import { formatBytes, MAX_LISTED, moreLine } from './result-numbers.ts';

const PICTURE = /\.(?:png|jpe?g|svg|gif|webp)$/i;
const MOST_PICTURES = 10;

/** Pictures that a task has delivered are shown on the page; it links the others with all other files. */
export function picturesSection({ verdict, files, links, undone }: ResultFacts): string {
  if (verdict !== 'done') return '';
  const shown = [...files.created, ...files.changed]
    .filter((path) => PICTURE.test(path))
    .map((path) => ({ path, target: links?.get(path) }))
    .filter(({ target }) => target !== undefined && (undone === undefined || !target.startsWith('..')))
    .slice(0, MOST_PICTURES)
    .map(({ path, target = '' }) => formatPicture(path, target));
  if (shown.length === 0) return '';
  return `## ${shown.length === 1 ? 'Picture' : 'Pictures'}\n\n${shown.join('\n\n')}`;
}

export function filesSection(facts: ResultFacts): string {
  const { files, copies = 0, links, quarantined = [] } = facts;
  const all = [
    ...files.created.map((path) => `- new ${formatLink(path, links?.get(path))}`),
    ...files.changed.map((path) => `- changed ${formatLink(path, links?.get(path))}`),
    ...files.removed.map((path) => `- removed ${inlineCode(path)}`),
  ];
  const parts = [
    all.length === 0
      ? 'No file was changed.'
      : `${all.slice(0, MAX_LISTED).join('\n')}${moreLine(all.length, 'files')}`,
    triggersLine([...files.created, ...files.changed]),
    copies === 0 ? '' : 'Copies are next to this page, in [files](files).',
    all.length === 0 ? '' : undoLine(facts),
    artifactLines(facts),
    quarantined.length === 0
      ? ''
      : `⚠️ A secret was found in these, and taken out. They are not next to this page:\n\n${quarantined
          .slice(0, MAX_LISTED)
          .map((path) => `- ${inlineCode(path)}`)
          .join('\n')}${moreLine(quarantined.length, 'artifacts')}`,
  ];
  return `## Files\n\n${parts.filter((part) => part !== '').join('\n\n')}`;
}

/** What tools brought along, such as pages that were read. */
function artifactLines({ artifacts }: ResultFacts): string {
  if (artifacts.length === 0) return '';
  const lines = artifacts.map(({ name, bytes, sha256, file }) =>
    file === undefined
      ? `- ${inlineCode(name)}, ${formatBytes(bytes)}, only in the artifact store as ${inlineCode(sha256.slice(0, 12))}`
      : `- ${formatLink(name, file)}, ${formatBytes(bytes)}`,
  );
  return `Saved from its work:\n\n${lines.slice(0, MAX_LISTED).join('\n')}${moreLine(lines.length, 'artifacts')}`;
}

/** Files that a person should read before the programs that obey them are used on the desk. */
function triggersLine(paths: readonly string[]): string {
  const found = triggersAmong(paths);
  if (found.length === 0) return '';
  const lines = found.slice(0, MAX_LISTED).map(({ path, why }) => `- ${inlineCode(path)}: ${why}`);
  return `⚠️ These files make other programs run, outside the sandbox. Read them before you go on:\n\n${lines.join('\n')}${moreLine(found.length, 'files')}`;
}

function undoLine({ run, undo, undone }: ResultFacts): string {
  if (undone !== undefined)
    return undone.kept.length === 0
      ? 'These changes were undone.'
      : `These changes were undone, except in files that have been changed since: ${codeList(undone.kept)}.`;
  if (undo === undefined) return '';
  if (!undo.possible) return 'These changes cannot be undone: no snapshot of the desk was saved.';
  const without = undo.without.length === 0 ? '' : ` Cannot be restored: ${codeList(undo.without)}.`;
  return `${inlineCode(`oka undo ${run}`)} undoes these changes.${without}`;
}

function codeList(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).map((path) => inlineCode(path));
  return `${shown.join(', ')}${paths.length > shown.length ? ` and ${paths.length - shown.length} more` : ''}`;
}

export function installedSection({ installed = [] }: ResultFacts): string {
  if (installed.length === 0) return '';
  const lines = installed.slice(0, MAX_LISTED).map(({ id, version, from, commands }) => {
    const provides = commands.length === 0 ? '' : `, which provides ${codeList(commands)}`;
    return `- ${inlineCode(`${id} ${version}`)} from ${inlineCode(from)}${provides}`;
  });
  return `## Installed\n\n${lines.join('\n')}${moreLine(installed.length, 'packages')}\n\n${inlineCode('oka tools list')} shows everything that is installed; ${inlineCode('oka tools remove NAME')} removes it.`;
}

export function hostsSection({ hosts, hostAuthors = {} }: ResultFacts): string {
  if (hosts.length === 0) return '';
  const shown = hosts.slice(0, MAX_LISTED).map((host) => {
    const author = hostAuthors[host];
    return `- ${inlineCode(host)}${author === undefined ? '' : `: ${author}`}`;
  });
  return `## Hosts contacted\n\n${shown.join('\n')}${moreLine(hosts.length, 'hosts')}`;
}
