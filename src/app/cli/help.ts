/** Help text, at 80 columns. */
import type { Command } from '../../kit/cli/command-module.ts';
import { wrapWords } from '../../kit/cli/wrap-words.ts';

const GLOBAL = [
  ['--dir PATH', 'The folder with .oka and workspace (or OKA_DIR; default: here).'],
  ['--json', 'JSON instead of text.'],
  ['--utc', 'Times in UTC instead of the zone of this machine.'],
  ['--help', 'Help, with an example.'],
  ['--version', 'The version.'],
] as const;

type Summaries = Readonly<Record<string, readonly [summary: string, ...rest: unknown[]]>>;

type Groups = readonly { title: string; commands: Summaries }[];

/** The commands of a person's week. */
const WEEK: readonly { title: string; names: readonly string[] }[] = [
  { title: 'Work', names: ['up', 'add', 'new', 'check', 'run', 'ask'] },
  { title: 'See', names: ['status', 'runs', 'show', 'find'] },
  { title: 'Answer and steer', names: ['approve', 'answer', 'undo', 'correct'] },
  { title: 'Upkeep', names: ['doctor'] },
];

/** What most people need; `everything` lists the rest. */
export function shortOverview(groups: Groups): string {
  const all: Summaries = Object.assign({}, ...groups.map(({ commands }) => commands));
  const week = WEEK.map(({ title, names }) => ({
    title,
    lines: names.map((name) => [name, all[name]?.[0] ?? ''] as const),
  }));
  return page(week, [
    'All commands, options and exit codes: oka help all',
    'One of them, with an example: oka add --help',
  ]);
}

/** One line for a command, and one for several that begin with the same word. */
export function everything(groups: Groups): string {
  const shown = groups.map((group) => ({ title: group.title, lines: overviewLines(group.commands) }));
  return page(shown, [
    ...GLOBAL.flatMap(([option, about]) => wrapText(option, about, widthOf(shown))),
    '',
    'Exit codes: 0 fine, 1 something checked is not fine, 2 wrong use,',
    '            3 refused or not possible now, 4 a run waits or was stopped,',
    '            130 interrupted.',
    '',
    'Several commands behind one name, each with an example: oka chat --help',
    'Example: oka status',
  ]);
}

type Section = { title: string; lines: readonly (readonly [name: string, about: string])[] };

const widthOf = (sections: readonly Section[]): number =>
  Math.max(...sections.flatMap(({ lines }) => lines.map(([name]) => name.length))) + 2;

function page(sections: readonly Section[], end: readonly string[]): string {
  const width = widthOf(sections);
  const rows = sections.flatMap(({ title, lines }) => [
    title,
    ...lines.flatMap(([name, about]) => wrapText(name, about, width)),
    '',
  ]);
  const head = ['oka: an assistant you can trust with real work', '', 'Usage: oka <command> [options]', ''];
  return [...head, ...rows, ...end, ''].join('\n');
}

/** The first words of the commands, each with its summary or the words that may follow it. */
function overviewLines(table: Summaries): (readonly [name: string, about: string])[] {
  const firsts = new Set(Object.keys(table).map((name) => name.split(' ')[0] ?? name));
  return [...firsts].map((first) => {
    const own = table[first];
    const below = Object.keys(table).filter((name) => name.startsWith(`${first} `));
    const [only] = below;
    if (own === undefined && only !== undefined && below.length === 1) return [only, table[only]?.[0] ?? ''];
    const words = [...new Set(below.map((name) => name.split(' ')[1] ?? ''))].join(', ');
    if (own === undefined) return [first, words];
    return [first, words === '' ? own[0] : `${own[0]}. Also: ${words}`];
  });
}

export function helpOf(name: string, command: Command): string {
  const options = Object.entries(command.options ?? {}).map(
    ([option, { value, about, short }]) =>
      [
        `--${option}${value === undefined ? '' : ` ${value}`}${short === undefined ? '' : `, -${short}`}`,
        about,
      ] as const,
  );
  const all = [
    ...options,
    ...GLOBAL.filter(([option]) => option !== '--version' && (command.json !== false || option !== '--json')),
  ];
  const width = Math.max(...all.map(([option]) => option.length)) + 2;
  return [
    ...wrapWords(`${command.summary}.`, 80),
    '',
    `Usage: ${usageOf(name, command)}`,
    '',
    ...all.flatMap(([option, about]) => wrapText(option, about, width)),
    '',
    `Example: ${command.example}`,
    '',
  ].join('\n');
}

export function usageOf(name: string, command: Command): string {
  return ['oka', name, command.operands, '[options]'].filter((word) => word !== undefined).join(' ');
}

/** The commands below a name such as "graph" or "memory fact", each with an example; null when there are none. */
export function familyHelp(name: string, below: Readonly<Record<string, Command>>): string | null {
  const members = Object.entries(below);
  if (members.length === 0) return null;
  return [
    `Usage: oka ${name} <command> [options]`,
    '',
    ...members.flatMap(([each, { summary, operands, example }]) => [
      `  oka ${[each, operands].filter((word) => word !== undefined).join(' ')}`,
      ...wrapWords(`${summary}.`, 74).map((line) => `      ${line}`),
      ...wrapWords(`Example: ${example}`, 74).map((line) => `      ${line}`),
    ]),
    '',
    `Options of one of them: oka ${members[0]?.[0] ?? name} --help`,
    '',
  ].join('\n');
}

function wrapText(term: string, about: string, width: number): string[] {
  const lines = wrapWords(about, 80 - 2 - width);
  return lines.map((line, index) => `  ${(index === 0 ? term : '').padEnd(width)}${line}`);
}
