/** Owns: what must hold for a task to count as done, as it was told: in `accept` or in a "Done when" list of the body. */
import type { Author } from '../schema/tool.ts';
import type { Block, LineProblem } from './blocks.ts';
import { type Check, checkOf } from './checks.ts';
import { languageOf } from './fence-info.ts';

export type Criterion = {
  text: string;
  /** Null: prose, for which a model is asked. */
  check: Check | null;
  author: Author;
};

/** What a runbook has to show whose task says nothing else. */
export const EVERY_STEP: Criterion = {
  text: 'Every step ends with exit status 0.',
  check: { kind: 'steps' },
  author: 'operator',
};

const TITLE = /^(?:done (?:when|if)|acceptance(?: criteria)?|accept(?:ed when)?|success criteria|definition of done)$/i;
const INLINE = /^[*_]{0,3}(?:done (?:when|if)|acceptance(?: criteria)?|accept)[*_]{0,3}:[*_]{0,3}\s+(\S[\s\S]*)$/i;
const LONGEST = 2000;

/** A criterion, or why it is none. */
export function criterionOf(text: string, author: Author): Criterion | { problem: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'a criterion is empty' };
  if (trimmed.length > LONGEST) return { problem: `a criterion is longer than ${LONGEST} characters` };
  const check = checkOf(trimmed);
  if (check?.kind === 'problem') return { problem: `"${trimmed.slice(0, 80)}": ${check.problem}` };
  return { text: trimmed, check, author };
}

/** The criteria an operator gave, each once, and the parts of the body that tell them: those are no steps. */
export function criteriaIn(
  blocks: readonly Block[],
  accept: readonly string[],
): { criteria: Criterion[]; problems: LineProblem[]; taken: ReadonlySet<Block> } {
  const { told, taken } = toldIn(blocks);
  const fields = accept.map((text, index) => ({ line: 1, text, field: `accept[${index}]: ` }));
  const criteria = new Map<string, Criterion>();
  const problems: LineProblem[] = [];
  for (const { line, text, field } of [...fields, ...told.map((each) => ({ ...each, field: '' }))]) {
    const read = criterionOf(text, 'operator');
    if ('problem' in read) problems.push({ line, problem: `${field}${read.problem}` });
    else if (!criteria.has(read.text)) criteria.set(read.text, read);
  }
  return { criteria: [...criteria.values()], problems, taken };
}

type Told = { line: number; text: string };

function toldIn(blocks: readonly Block[]): { told: Told[]; taken: Set<Block> } {
  const told: Told[] = [];
  const taken = new Set<Block>();
  for (const [index, block] of blocks.entries()) {
    const inline = block.kind === 'text' ? INLINE.exec(block.text)?.[1] : undefined;
    if (inline !== undefined) {
      told.push({ line: block.line, text: inline });
      taken.add(block);
    } else if (isTitle(block)) {
      const section = sectionBehind(blocks, index);
      for (const each of [block, ...section]) taken.add(each);
      told.push(...listed(section));
    }
  }
  return { told, taken };
}

function isTitle(block: Block): boolean {
  if (block.kind !== 'heading' && block.kind !== 'text') return false;
  const bare = block.text.replaceAll(/[*_]{1,3}/g, '').trim();
  return TITLE.test(bare.replace(/:$/, '')) && (block.kind === 'heading' || /:\W*$/.test(block.text));
}

/** Behind a heading everything up to the next; behind a line of text the list alone. */
function sectionBehind(blocks: readonly Block[], index: number): Block[] {
  const rest = blocks.slice(index + 1);
  const underHeading = blocks[index]?.kind === 'heading';
  const end = rest.findIndex((block) => block.kind === 'heading' || (!underHeading && block.kind !== 'item'));
  return end === -1 ? rest : rest.slice(0, end);
}

/** List items and shell blocks; without any of them the paragraphs. */
function listed(section: readonly Block[]): Told[] {
  const items = section.flatMap((block): Told[] => {
    if (block.kind === 'item' && block.text !== '')
      return [{ line: block.line, text: block.text.replace(/^\[[ xX]\]\s+/, '') }];
    const command = block.kind === 'fence' ? commandOf(block) : null;
    if (command !== null) return [{ line: block.line, text: `command: ${command}` }];
    return [];
  });
  if (items.length > 0) return items;
  return section.flatMap((block) => (block.kind === 'text' ? [{ line: block.line, text: block.text }] : []));
}

/** A fence among the criteria is a check: it has to end with exit status 0. */
function commandOf({ info, code }: Extract<Block, { kind: 'fence' }>): string | null {
  const language = languageOf(info);
  const quoted = `'${code.replaceAll("'", String.raw`'\''`)}'`;
  if (['bash', 'sh', 'shell'].includes(language)) return code.trim();
  if (['python', 'py'].includes(language)) return `python3 -c ${quoted}`;
  return ['js', 'javascript', 'node'].includes(language) ? `node -e ${quoted}` : null;
}
