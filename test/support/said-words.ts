/** What the source says to people: the text of templates, sentences that go through t() or say(), and words that come as data. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';
import { pages } from '../../src/app/web/pages.ts';
import { ReplyStatus } from '../../src/core/schema/chat.ts';
import { ProcedureStatus } from '../../src/core/schema/procedure.ts';
import { Budgets, NodeStatus, RunKind, RunLink, RunStatus } from '../../src/core/schema/run.ts';
import { NodeKindOfTree } from '../../src/core/schema/tree.ts';
import { sentencesIn } from '../../src/kit/web/browser/words.ts';

const TOP = join(import.meta.dirname, '../..');
/** The page that shows what pages are made of is for those who change them, and stays in English. */
const ENGLISH_ONLY = /^src\/app\/design\//;
const SAYING = globSync(
  ['src/**/browser/**/*.ts', 'src/rooms/task/roles/result*.ts', 'src/kit/web/assets/document.ts'],
  {
    cwd: TOP,
  },
)
  .filter((file) => !ENGLISH_ONLY.test(file))
  .toSorted();

/** What pages and results say of what comes as data, in the words of the data. */
const BY_NAME: readonly string[] = [
  ...pages.filter(({ name }) => name !== 'design').map(({ title }) => title),
  ...RunStatus.options,
  ...NodeStatus.options,
  ...RunKind.options,
  ...ReplyStatus.options,
  ...ProcedureStatus.options,
  ...NodeKindOfTree.options,
  ...RunLink.shape.kind.options,
  ...Object.keys(Budgets.shape).map((name) => name.replaceAll('_', ' ')),
  ['queued', 'rework', 'impossible', 'waiting', 'ok', 'new'],
  ['allow', 'ask', 'deny', 'allowed', 'refused', 'created', 'changed', 'removed'],
  ['ran', 'missed', 'dropped', 'caught up', 'trigger', 'backfill'],
  ['working', 'draining', 'drained', 'stopped'],
  ['it is part of', 'it was started by', 'it replays', 'it resumes', 'it forks', 'it corrects', 'it was corrected by'],
  ['the worker has read it', 'not read yet', 'nobody has read it'],
  ['the record does not match its hash', 'the record does not follow the one before it', 'the record has no end'],
  ['Ollama, on this machine or another one', 'another server that speaks the OpenAI protocol'],
  ['OpenAI', 'Anthropic'],
  // the figures, and what they are counted of
  ['completion', 'rework', 'corrections', 'first try', 'time, median', 'time, p90', 'waited for the desk', 'spend'],
  ['tokens', 'reuse', 'saved', 'pack growth', 'approvals', 'questions', 'heals'],
  '{} done of {} ended',
  '{} sent back by the critic and planned again of {} ended',
  '{} corrected or undone of {} done',
  '{} done at once and left as they were of {} ended',
  '{} planned from a procedure of {} planned',
  'of tasks behind others in the same place, in all',
  '{} done, waiting for people and for the desk not counted',
  'a task on average, {} in all',
  'asked: {} approved, {} denied or run out, {} unanswered',
  'by procedures, and {} s',
  '{} packs, median {} and at most {} tokens',
  'asked',
  'missing tools installed',
  // what a result offers to do
  'Check the model',
  'See what it is waiting for',
  'Continue it',
  'End it',
  'Undo what it had changed',
  'Fix what is named above, then continue',
  'Undo what it has changed',
].flat();

/** Every sentence that has to be in a catalogue. */
export function saidSentences(): Set<string> {
  return new Set([...SAYING.flatMap((file) => [...findSaid(readFileSync(join(TOP, file), 'utf8')).said]), ...BY_NAME]);
}

/** What looks like words for people in a page and is not said in their language, with its place. */
export function unsaidIn(allowed: readonly RegExp[]): string[] {
  return SAYING.filter((file) => file.includes('/browser/')).flatMap((file) =>
    findSaid(readFileSync(join(TOP, file), 'utf8'))
      .unsaid.filter(({ text }) => !allowed.some((pattern) => pattern.test(text)))
      .map(({ line, text }) => `${file}:${line} ${text}`),
  );
}

type Syntax = { type: string; start: number; end: number } & Record<string, unknown>;

type Found = { said: Set<string>; unsaid: { start: number; end: number; line: number; text: string }[] };

/** Attributes whose values nobody reads. */
const SILENT = /\b(?:class|id|key|type|href|src|d|transform|style|name|value|pattern|for|role|aria-current)=$/;

/** What looks like words for people and does not go through t(). */
function findSaid(text: string): Found {
  const found: Found = { said: new Set(), unsaid: [] };
  const visit = (node: Syntax): void => {
    if (/^(Import|ExportAll)|^TS(?!(As|Satisfies|NonNull)Expression)/.test(node.type)) return;
    if (node.type === 'TaggedTemplateExpression' && nameOf(node['tag']) === 'html') {
      const { quasis, expressions } = node['quasi'] as {
        quasis: { value: { cooked: string } }[];
        expressions: Syntax[];
      };
      for (const sentence of sentencesIn(quasis.map(({ value }) => value.cooked))) found.said.add(sentence);
      expressions.forEach((each, at) => (SILENT.test(quasis[at]?.value.cooked ?? '') ? undefined : visit(each)));
      return;
    }
    if (node.type === 'BinaryExpression' && /^[!=]==$/.test(String(node['operator']))) return;
    if (node.type === 'SwitchCase') return (node['consequent'] as Syntax[]).forEach(visit);
    if (node.type === 'Property') return visit(node['value'] as Syntax);
    if (node.type === 'CallExpression') {
      const { property } = node['callee'] as { property?: unknown };
      const name = nameOf(node['callee']) ?? nameOf(property);
      const [first, second, ...rest] = node['arguments'] as Syntax[];
      if ((name === 't' || name === 'say') && first !== undefined) {
        for (const literal of literalsIn(first)) found.said.add(literal);
        if (second !== undefined) [second, ...rest].forEach(visit);
        if (literalsIn(first).length === 0) visit(first);
        return;
      }
      if (name === 'countOf' && second?.type === 'Literal') {
        found.said.add(`{} ${String(second['value'])}`);
        found.said.add(`{} ${String(second['value'])}s`);
        if (first !== undefined) visit(first);
        return;
      }
    }
    const prose = proseOf(node);
    if (prose !== null)
      found.unsaid.push({
        start: node.start,
        end: node.end,
        line: text.slice(0, node.start).split('\n').length,
        text: prose,
      });
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }) as unknown as Syntax);
  return found;
}

const nameOf = (node: unknown): string | undefined => (node as { name?: string } | undefined)?.name;

/** Several, where one of them is chosen: t(isOpen ? 'Close' : 'Open'). */
function literalsIn(node: Syntax): string[] {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return [node['value']];
  if (node.type === 'ConditionalExpression')
    return [...literalsIn(node['consequent'] as Syntax), ...literalsIn(node['alternate'] as Syntax)];
  if (node.type === 'LogicalExpression')
    return [...literalsIn(node['left'] as Syntax), ...literalsIn(node['right'] as Syntax)];
  return [];
}

function proseOf(node: Syntax): string | null {
  const literal = node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null;
  const template =
    node.type === 'TemplateLiteral'
      ? (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('{}')
      : null;
  const text = literal ?? template;
  return text !== null && /[A-Za-z]{2,}.* |^[A-Z][a-z]+$/.test(text) ? text : null;
}

function childrenOf(node: Syntax): Syntax[] {
  return Object.values(node)
    .flat()
    .filter((each): each is Syntax => typeof (each as Syntax | null)?.type === 'string');
}
