/** Help text, at 80 columns. */
import type { Command } from './command-module.ts';
import { commands, groups } from './commands.ts';

const GLOBAL = [
  ['--dir PATH', 'The folder with .oka and workspace (or OKA_DIR; default: here).'],
  ['--json', 'JSON instead of text.'],
  ['--utc', 'Times in UTC instead of the zone of this machine.'],
  ['--help', 'Help, with an example.'],
  ['--version', 'The version.'],
] as const;

/** `contributed` are the commands of rooms. */
export function overview(contributed: Readonly<Record<string, Command>> = {}): string {
  const names = [...Object.keys(commands), ...Object.keys(contributed)];
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const more = Object.keys(contributed).length === 0 ? [] : [{ title: 'More', commands: contributed }];
  const rows = [...groups, ...more].flatMap((group) => [
    group.title,
    ...Object.entries(group.commands).flatMap(([name, command]) => wrapText(name, command.summary, width)),
    '',
  ]);
  return [
    'oka: an assistant you can trust with real work',
    '',
    'Usage: oka <command> [options]',
    '',
    ...rows,
    ...GLOBAL.flatMap(([option, about]) => wrapText(option, about, width)),
    '',
    'Exit codes: 0 fine, 1 something checked is not fine, 2 wrong use,',
    '            3 refused or not possible now, 4 a run waits or was stopped,',
    '            130 interrupted.',
    '',
    'Example: oka status',
    '',
  ].join('\n');
}

export function helpOf(name: string, command: Command): string {
  const options = Object.entries(command.options ?? {}).map(
    ([option, { value, about }]) => [`--${option}${value === undefined ? '' : ` ${value}`}`, about] as const,
  );
  const all = [
    ...options,
    ...GLOBAL.filter(([option]) => option !== '--version' && (command.json || option !== '--json')),
  ];
  const width = Math.max(...all.map(([option]) => option.length)) + 2;
  return [
    ...linesOf(`${command.summary}.`, 80),
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

function wrapText(term: string, about: string, width: number): string[] {
  const lines = linesOf(about, 80 - 2 - width);
  return lines.map((line, index) => `  ${(index === 0 ? term : '').padEnd(width)}${line}`);
}

function linesOf(about: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of about.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
