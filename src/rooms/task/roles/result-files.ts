/** Owns: what a task has left behind, as sections of RESULT.md: files, pictures, packages, and hosts that were asked. */
import { triggersAmong } from '../../../core/schema/program-triggers.ts';
import { formatLink, formatPicture, inlineCode } from '../../../kit/text/markdown-escape.ts';
import type { ResultFacts } from '../../../kit/runs/result-content.ts';
import type { Speaker } from '../../../kit/text/languages.ts';
import { formatBytes, MAX_LISTED, moreLine } from './result-numbers.ts';

const PICTURE = /\.(?:png|jpe?g|svg|gif|webp)$/i;
const MOST_PICTURES = 10;

/** Pictures that a task has delivered are shown on the page; it links the others with all other files. */
export function picturesSection({ verdict, files, links, undone }: ResultFacts, { say }: Speaker): string {
  if (verdict !== 'done') return '';
  const shown = [...files.created, ...files.changed]
    .filter((path) => PICTURE.test(path))
    .map((path) => ({ path, target: links?.get(path) }))
    .filter(({ target }) => target !== undefined && (undone === undefined || !target.startsWith('..')))
    .slice(0, MOST_PICTURES)
    .map(({ path, target = '' }) => formatPicture(path, target));
  if (shown.length === 0) return '';
  return `## ${say(shown.length === 1 ? 'Picture' : 'Pictures')}\n\n${shown.join('\n\n')}`;
}

export function filesSection(facts: ResultFacts, speaker: Speaker): string {
  const { say } = speaker;
  const { files, copies = 0, links, quarantined = [] } = facts;
  const all = [
    ...files.created.map((path) => `- ${say('new {}', formatLink(path, links?.get(path)))}`),
    ...files.changed.map((path) => `- ${say('changed {}', formatLink(path, links?.get(path)))}`),
    ...files.removed.map((path) => `- ${say('removed {}', inlineCode(path))}`),
  ];
  const parts = [
    all.length === 0
      ? say('No file was changed.')
      : `${all.slice(0, MAX_LISTED).join('\n')}${moreLine(all.length, speaker)}`,
    triggersLine([...files.created, ...files.changed], speaker),
    copies === 0 ? '' : say('Copies are next to this page, in {}.', '[files](files)'),
    all.length === 0 ? '' : undoLine(facts, speaker),
    artifactLines(facts, speaker),
    quarantined.length === 0
      ? ''
      : `⚠️ ${say('A secret was found in these, and taken out. They are not next to this page:')}\n\n${quarantined
          .slice(0, MAX_LISTED)
          .map((path) => `- ${inlineCode(path)}`)
          .join('\n')}${moreLine(quarantined.length, speaker)}`,
  ];
  return `## ${say('Files')}\n\n${parts.filter((part) => part !== '').join('\n\n')}`;
}

/** What tools brought along, such as pages that were read. */
function artifactLines({ artifacts }: ResultFacts, speaker: Speaker): string {
  if (artifacts.length === 0) return '';
  const lines = artifacts.map(({ name, bytes, sha256, file }) =>
    file === undefined
      ? `- ${inlineCode(name)}, ${formatBytes(bytes, speaker)}, ${speaker.say('only in the artifact store as {}', inlineCode(sha256.slice(0, 12)))}`
      : `- ${formatLink(name, file)}, ${formatBytes(bytes, speaker)}`,
  );
  return `${speaker.say('Saved from its work:')}\n\n${lines.slice(0, MAX_LISTED).join('\n')}${moreLine(lines.length, speaker)}`;
}

/** Files that a person should read before the programs that obey them are used on the desk. */
function triggersLine(paths: readonly string[], speaker: Speaker): string {
  const found = triggersAmong(paths);
  if (found.length === 0) return '';
  const lines = found.slice(0, MAX_LISTED).map(({ path, why }) => `- ${inlineCode(path)}: ${why}`);
  return `⚠️ ${speaker.say('These files make other programs run, outside the sandbox. Read them before you go on:')}\n\n${lines.join('\n')}${moreLine(found.length, speaker)}`;
}

function undoLine({ run, undo, undone }: ResultFacts, speaker: Speaker): string {
  const { say } = speaker;
  if (undone !== undefined)
    return undone.kept.length === 0
      ? say('These changes were undone.')
      : say(
          'These changes were undone, except in files that have been changed since: {}.',
          codeList(undone.kept, speaker),
        );
  if (undo === undefined) return '';
  if (!undo.possible) return say('These changes cannot be undone: no snapshot of the desk was saved.');
  const without =
    undo.without.length === 0 ? '' : ` ${say('Cannot be restored: {}.', codeList(undo.without, speaker))}`;
  return `${say('{} undoes these changes.', inlineCode(`oka undo ${run}`))}${without}`;
}

function codeList(paths: readonly string[], { say }: Speaker): string {
  const shown = paths.slice(0, 10).map((path) => inlineCode(path));
  return `${shown.join(', ')}${paths.length > shown.length ? ` ${say('and {} more', paths.length - shown.length)}` : ''}`;
}

export function installedSection({ installed = [] }: ResultFacts, speaker: Speaker): string {
  const { say } = speaker;
  if (installed.length === 0) return '';
  const lines = installed.slice(0, MAX_LISTED).map(({ id, version, from, commands }) => {
    const provides = commands.length === 0 ? '' : `, ${say('which provides {}', codeList(commands, speaker))}`;
    return `- ${say('{} from {}', inlineCode(`${id} ${version}`), inlineCode(from))}${provides}`;
  });
  const hint = say(
    '{} shows everything that is installed; {} removes it.',
    inlineCode('oka tools list'),
    inlineCode('oka tools remove NAME'),
  );
  return `## ${say('Installed')}\n\n${lines.join('\n')}${moreLine(installed.length, speaker)}\n\n${hint}`;
}

export function hostsSection({ hosts, hostAuthors = {} }: ResultFacts, speaker: Speaker): string {
  if (hosts.length === 0) return '';
  const shown = hosts.slice(0, MAX_LISTED).map((host) => {
    const author = hostAuthors[host];
    return `- ${inlineCode(host)}${author === undefined ? '' : `: ${author}`}`;
  });
  return `## ${speaker.say('Hosts contacted')}\n\n${shown.join('\n')}${moreLine(hosts.length, speaker)}`;
}
