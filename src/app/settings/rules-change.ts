/**
 * Owns: a change of the rules that a person has asked for on the page Settings, as the text that the file would have, and
 * what of it differs. Nothing is written here.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { readChannelEntry } from '../../rooms/channels/channels-file.ts';
import { readRules, rulesPath, rulesProblem } from '../../rooms/approvals/write-rules.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { RulesFile } from '../../core/schema/intake.ts';
import { type Json, JsonValue } from '../../core/schema/json.ts';
import { readEntry } from '../../core/schema/mcp.ts';
import { Effect } from '../../core/schema/policy.ts';
import { writeProblem } from '../../core/ledger/disk.ts';
import { diffLines, type Hunk } from '../../kit/desk/merge-lines.ts';
import { withItem, withoutItem } from './header-lists.ts';
import type { RulesPreview } from './settings-answers.ts';

const entries = z.enum(['mcp.json', 'channels.json']).describe('Servers, or channels.');
const name = z.string().min(1).max(80).describe('Its name.');
const list = z.enum(['rules', 'folders']).describe('Which list of POLICY.md.');
const line = z.string().min(1).max(1000);

export const RulesChange = z
  .discriminatedUnion('change', [
    z.strictObject({
      change: z.literal('text').describe('Replace the text of POLICY.md.'),
      text: z.string().max(500_000),
    }),
    z.strictObject({
      change: z.literal('add_rule').describe('Add a rule.'),
      effect: Effect,
      about: z.enum(['program', 'host', 'tool', 'path']).describe('What it is about.'),
      value: line.describe('Which one.'),
      why: z.string().max(500).describe('Shown to whoever is asked; may be empty.'),
    }),
    z.strictObject({
      change: z.literal('add_folder').describe('Open a folder outside the desk.'),
      path: line.describe('The folder.'),
      access: z.enum(['read', 'write']).describe('Whether files may be changed there, too.'),
    }),
    z.strictObject({ change: z.literal('remove').describe('Take one away.'), list, index: z.int().nonnegative() }),
    z.strictObject({
      change: z.literal('entry').describe('Add, replace or remove a server or a channel.'),
      file: entries,
      name,
      entry: JsonValue.describe('Its settings; null removes it.'),
    }),
    z.strictObject({
      change: z.literal('switch').describe('Use a server or a channel, or leave it out.'),
      file: entries,
      name,
      on: z.boolean().describe('Whether it is used.'),
    }),
  ])
  .describe('A change of the rules.');
export type RulesChange = z.infer<typeof RulesChange>;

type Changed = { file: RulesFile; before: string | null; after: string; problem: string | null };

const CONTEXT = 2;

export function changeRules(home: Home, change: RulesChange): Changed {
  const file: RulesFile = 'file' in change ? change.file : 'POLICY.md';
  const before = readRules(home, file);
  try {
    const after = textAfter(before ?? '', change);
    const problem = entryProblem(change, after) ?? rulesProblem(home, file, after);
    return { file, before, after, problem };
  } catch (error) {
    return { file, before, after: before ?? '', problem: messageOf(error) };
  }
}

/** What would change; `isWritable` is whether it can be done from here. */
export function previewChange(
  home: Home,
  change: RulesChange,
  isWritable = canWrite(home),
): z.input<typeof RulesPreview> {
  const { file, before, after, problem } = changeRules(home, change);
  const path = `.oka/rules/${file}`;
  const hunks = hunksOf(before ?? '', after);
  return {
    file,
    path,
    replaces: before === null ? null : hash('sha256', before),
    problem: problem ?? (before === after ? 'Nothing changes.' : null),
    hunks,
    command: isWritable || problem !== null ? null : commandFor(path, before === null, hunks),
  };
}

/** Whether this process could write the rules; in a container they are mounted read-only. */
export const canWrite = (home: Home): boolean =>
  (['POLICY.md', 'mcp.json', 'channels.json'] as const).every(
    (file) => readRules(home, file) === null || writeProblem(rulesPath(home, file)) === null,
  ) && writeProblem(rulesPath(home, 'POLICY.md').replace(/\/[^/]+$/, '')) === null;

function textAfter(before: string, change: RulesChange): string {
  switch (change.change) {
    case 'text':
      return change.text.endsWith('\n') ? change.text : `${change.text}\n`;
    case 'add_rule': {
      const { effect, about, value, why } = change;
      return withItem(before, 'rules', { effect, [about]: value, ...(why.trim() === '' ? {} : { why: why.trim() }) });
    }
    case 'add_folder':
      return withItem(before, 'folders', { path: change.path, access: change.access });
    case 'remove':
      return withoutItem(before, change.list, change.index);
    case 'entry':
      return withEntry(before, change.file, change.name, () => change.entry);
    case 'switch':
      return withEntry(before, change.file, change.name, (entry) => {
        if (!isMap(entry)) throw new OkaError('usage', `there is no ${change.name} in ${change.file}`);
        const { disabled: _before, ...rest } = entry;
        return change.on ? rest : { ...rest, disabled: true };
      });
  }
}

const KEYS = { 'mcp.json': 'mcpServers', 'channels.json': 'channels' } as const;

function withEntry(
  text: string,
  file: keyof typeof KEYS,
  entry: string,
  change: (before: Json | undefined) => Json,
): string {
  const whole = JSON.parse(text.trim() === '' ? '{}' : text) as Json;
  if (!isMap(whole)) throw new OkaError('invalid-file', `${file} is not a JSON object`);
  const key = KEYS[file];
  const all = whole[key] ?? {};
  if (!isMap(all)) throw new OkaError('invalid-file', `${file} has no object "${key}"`);
  const after = change(all[entry]);
  const { [entry]: _before, ...others } = all;
  const changed = after === null ? others : { ...all, [entry]: after };
  return `${JSON.stringify({ ...whole, [key]: changed }, null, 2)}\n`;
}

/** What is wrong with one server or channel: the file as a whole would be read without it. */
function entryProblem(change: RulesChange, after: string): string | null {
  if (change.change !== 'entry' || change.entry === null) return null;
  const { [KEYS[change.file]]: all } = JSON.parse(after) as Record<string, Record<string, unknown>>;
  const read = (change.file === 'mcp.json' ? readEntry : readChannelEntry)(change.name, all?.[change.name]);
  return typeof read === 'string' ? `${change.name} cannot be used: ${read}` : null;
}

const isMap = (value: Json | undefined): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

type Hunks = z.infer<typeof RulesPreview>['hunks'];

function hunksOf(before: string, after: string): Hunks {
  const [was, is] = [linesOf(before), linesOf(after)];
  const groups: Hunk[][] = [];
  for (const hunk of diffLines(was, is) ?? [{ from: 0, to: was.length, start: 0, end: is.length }]) {
    const group = groups.at(-1);
    if (group !== undefined && hunk.from - (group.at(-1)?.to ?? 0) <= 2 * CONTEXT) group.push(hunk);
    else groups.push([hunk]);
  }
  return groups.map((group) => describeGroup(was, is, group));
}

function describeGroup(was: readonly string[], is: readonly string[], group: readonly Hunk[]): Hunks[number] {
  const [first, last] = [group[0] ?? NO_HUNK, group.at(-1) ?? NO_HUNK];
  const from = Math.max(0, first.from - CONTEXT);
  const same = (start: number, end: number): string[] => was.slice(start, end).map((each) => ` ${each}`);
  const lines = group.flatMap((hunk, index) => [
    ...same(group[index - 1]?.to ?? from, hunk.from),
    ...was.slice(hunk.from, hunk.to).map((each) => `-${each}`),
    ...is.slice(hunk.start, hunk.end).map((each) => `+${each}`),
  ]);
  const behind = same(last.to, Math.min(was.length, last.to + CONTEXT));
  return { old_start: from + 1, new_start: first.start - (first.from - from) + 1, lines: [...lines, ...behind] };
}

const NO_HUNK: Hunk = { from: 0, to: 0, start: 0, end: 0 };
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** For the machine that has the file, in the folder of the home. */
function commandFor(path: string, isNew: boolean, hunks: Hunks): string {
  const count = (lines: readonly string[], mark: string): number =>
    lines.filter((each) => each.startsWith(' ') || each.startsWith(mark)).length;
  const body = hunks.flatMap(({ old_start: from, new_start: start, lines }) => {
    const [old, now] = [count(lines, '-'), count(lines, '+')];
    return [`@@ -${old === 0 ? from - 1 : from},${old} +${now === 0 ? start - 1 : start},${now} @@`, ...lines];
  });
  const text = [`--- ${isNew ? '/dev/null' : path}`, `+++ ${path}`, ...body];
  const end = text.includes('OKA') ? `OKA_${hash('sha256', text.join('\n')).slice(0, 8)}` : 'OKA';
  return [`patch -p0 <<'${end}'`, ...text, end].join('\n');
}
