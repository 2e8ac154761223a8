/**
 * Owns: the text of INSTALL_REQUIREMENTS.md: what people have to install, between marks; everything around the marks is
 * theirs and stays. Pure.
 *
 * G1 Between the marks only `status:` is read; everything else there is rewritten from the ledger.
 * G2 A page without marks gets a section at its end; one whose marks are broken retains every line that is not between
 *    two that belong together.
 */
import type { OpenRequirement } from '../../../kit/requests/dependency-state.ts';
import { installCommand, type Machine } from '../../../kit/sandbox/system-package.ts';

const EMPTY = '# Install requirements\n\nNothing is needed.\n';
const NOTHING = 'Nothing is needed.';
const begin = (name: string): string => `<!-- oka: begin ${name} -->`;
const end = (name: string): string => `<!-- oka: end ${name} -->`;
const SECTION = /^<!-- oka: begin (.{1,200}) -->\n([\s\S]*?)^<!-- oka: end \1 -->$/gm;
const MOST_EVIDENCE = 1500;

/** The page with what is in the ledger, around what people wrote. */
export function renderRequirements(
  before: string,
  asked: readonly OpenRequirement[],
  machine: Machine | null = null,
): string {
  const text = before.trim() === '' ? EMPTY : before.replaceAll('\r\n', '\n');
  const sections = new Map(asked.map((each) => [each.name, renderSection(each, machine)]));
  const kept = text.replaceAll(SECTION, (_, name: string) => {
    const section = sections.get(name);
    sections.delete(name);
    return section ?? '';
  });
  const bare = asked.length === 0 ? kept : kept.replace(`${NOTHING}\n`, '');
  const added = [...sections.values()].map((section) => `\n${section}\n`).join('');
  return `${bare.trimEnd()}\n${added}`;
}

/** What people say of each: the value of `status:` between its marks. */
export function readStatuses(text: string): ReadonlyMap<string, string> {
  const found = [...text.replaceAll('\r\n', '\n').matchAll(SECTION)].map(
    ([, name = '', body = '']): [string, string] => [
      name,
      (/^[-*\s]*\**status\**\s*:\**\s*([A-Za-z]+)/im.exec(body)?.[1] ?? '').toLowerCase(),
    ],
  );
  return new Map(found);
}

/** Without a machine, as in a container, only the image can have it. */
function renderSection(asked: OpenRequirement, machine: Machine | null): string {
  const { name, status, need, packages, reason, by, opened, note, snippet } = asked;
  const command = machine === null ? null : installCommand(machine, need, packages);
  return [
    begin(name),
    `## ${name}`,
    '',
    `- status: ${status}`,
    `- needed by: ${by.map(({ run, node }) => (node === null ? run : `${run}, step ${node}`)).join('; ') || 'nobody any more'}`,
    `- what: ${need.kind} \`${need.name}\`${need.version === undefined ? '' : ` ${need.version}`}`,
    `- Debian package: ${packages.length === 0 ? 'not known' : packages.map((each) => `\`${each}\``).join(', ')}`,
    ...checkLine(need),
    `- since: ${opened}`,
    `- why oka cannot do it: ${toOneLine(reason)}`,
    ...(note === null ? [] : [`- last check: ${toOneLine(note)}`]),
    '',
    ...(need.evidence === ''
      ? []
      : ['What was seen:', '', ...fenceText('text', need.evidence.slice(0, MOST_EVIDENCE)), '']),
    ...(command === null ? [] : ['On this machine:', '', ...fenceText('bash', command), '']),
    ...(snippet === '' ? [] : ['For the Dockerfile:', '', ...fenceText('Dockerfile', snippet), '']),
    status === 'open'
      ? `When it is there, write \`status: resolved\` above, or run \`oka requirements resolve ${name}\`.`
      : 'It is there.',
    end(name),
  ].join('\n');
}

/** How a person sees whether it is there. */
function checkLine({ kind, name }: OpenRequirement['need']): string[] {
  if (!/^[\w.+@/:-]+$/.test(name)) return [];
  const checks = {
    command: `command -v ${name}`,
    python: `python3 -c 'import ${name}'`,
    node: `npm ls --global ${name}`,
    library: `ldconfig -p | grep ${name}`,
    header: `find /usr/include -path '*/${name}'`,
    pkgconfig: `pkg-config --exists ${name} && echo there`,
    locale: `locale -a`,
    font: `fc-list | grep -i ${name}`,
    device: `ls -l ${name}`,
    capability: `grep CapBnd /proc/self/status`,
  } as const;
  return [`- to check: \`${checks[kind]}\``];
}

/** A text cannot end its own fence, nor the section. */
function fenceText(language: string, text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, ...text.replaceAll('<!--', '<! --').split('\n'), fence];
}

const toOneLine = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll('<!--', '<! --').trim().slice(0, 500);
