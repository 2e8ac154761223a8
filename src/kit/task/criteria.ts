/** Owns: the criteria of a task, from `accept` and from a "Done when" list in its body. */
import type { Author } from '../../core/schema/tool.ts';
import type { Block, LineProblem } from '../text/markdown-blocks.ts';
import { type Check, parseCheck } from './checks.ts';
import { fenceLanguage } from '../text/fence-info.ts';

export type Criterion = {
  text: string;
  /** Null: prose, for which a model is asked. */
  check: Check | null;
  author: Author;
};

/** The criterion of a runbook whose task names none. */
export const EVERY_STEP: Criterion = {
  text: 'Every step ends with exit status 0.',
  check: { kind: 'steps' },
  author: 'operator',
};

const TITLE = /^(?:done (?:when|if)|acceptance(?: criteria)?|accept(?:ed when)?|success criteria|definition of done)$/i;
const INLINE = /^[*_]{0,3}(?:done (?:when|if)|acceptance(?: criteria)?|accept)[*_]{0,3}:[*_]{0,3}\s+(\S[\s\S]*)$/i;
const MAX_LENGTH = 2000;

/** The parsed criterion, or what is wrong with the text. */
export function parseCriterion(text: string, author: Author): Criterion | { problem: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'a criterion is empty' };
  if (trimmed.length > MAX_LENGTH) return { problem: `a criterion is longer than ${MAX_LENGTH} characters` };
  const check = parseCheck(trimmed);
  if (check?.kind === 'problem') {
    const { problem, asProse } = check;
    return { problem: `"${trimmed.slice(0, 80)}": ${problem}${asProse === undefined ? '' : `. ${asProse}`}` };
  }
  return { text: trimmed, check, author };
}

/** The criteria of the operator, each once, and the blocks that state them, which are not steps. */
export function findCriteria(
  blocks: readonly Block[],
  accept: readonly string[],
): { criteria: Criterion[]; problems: LineProblem[]; taken: ReadonlySet<Block> } {
  const { stated, taken } = findStated(blocks);
  const fields = accept.map((text, index) => ({ line: 1, text, field: `accept[${index}]: ` }));
  const criteria = new Map<string, Criterion>();
  const problems: LineProblem[] = [];
  for (const { line, text, field } of [...fields, ...stated.map((each) => ({ ...each, field: '' }))]) {
    const read = parseCriterion(text, 'operator');
    if ('problem' in read) problems.push({ line, problem: `${field}${read.problem}` });
    else if (!criteria.has(read.text)) criteria.set(read.text, read);
  }
  return { criteria: [...criteria.values()], problems, taken };
}

type Stated = { line: number; text: string };

function findStated(blocks: readonly Block[]): { stated: Stated[]; taken: Set<Block> } {
  const stated: Stated[] = [];
  const taken = new Set<Block>();
  for (const [index, block] of blocks.entries()) {
    const inline = block.kind === 'text' ? INLINE.exec(block.text)?.[1] : undefined;
    if (inline !== undefined) {
      stated.push({ line: block.line, text: inline });
      taken.add(block);
    } else if (isTitle(block)) {
      const section = sectionAfter(blocks, index);
      for (const each of [block, ...section]) taken.add(each);
      stated.push(...listCriteria(section));
    }
  }
  return { stated, taken };
}

function isTitle(block: Block): boolean {
  if (block.kind !== 'heading' && block.kind !== 'text') return false;
  const bare = block.text.replaceAll(/[*_]{1,3}/g, '').trim();
  return TITLE.test(bare.replace(/:$/, '')) && (block.kind === 'heading' || /:\W*$/.test(block.text));
}

/** After a heading, everything up to the next one; after a line of text, only the list. */
function sectionAfter(blocks: readonly Block[], index: number): Block[] {
  const rest = blocks.slice(index + 1);
  const underHeading = blocks[index]?.kind === 'heading';
  const end = rest.findIndex((block) => block.kind === 'heading' || (!underHeading && block.kind !== 'item'));
  return end === -1 ? rest : rest.slice(0, end);
}

/** List items and code blocks; if there are none, the paragraphs. */
function listCriteria(section: readonly Block[]): Stated[] {
  const items = section.flatMap((block): Stated[] => {
    if (block.kind === 'item' && block.text !== '')
      return [{ line: block.line, text: block.text.replace(/^\[[ xX]\]\s+/, '') }];
    const command = block.kind === 'fence' ? fenceCommand(block) : null;
    if (command !== null) return [{ line: block.line, text: `command: ${command}` }];
    return [];
  });
  if (items.length > 0) return items;
  return section.flatMap((block) => (block.kind === 'text' ? [{ line: block.line, text: block.text }] : []));
}

/** A code block among the criteria is a check: it has to end with exit status 0. */
function fenceCommand({ info, code }: Extract<Block, { kind: 'fence' }>): string | null {
  const language = fenceLanguage(info);
  const quoted = `'${code.replaceAll("'", String.raw`'\''`)}'`;
  if (['bash', 'sh', 'shell'].includes(language)) return code.trim();
  if (['python', 'py'].includes(language)) return `python3 -c ${quoted}`;
  return ['js', 'javascript', 'node'].includes(language) ? `node -e ${quoted}` : null;
}
