/**
 * The cache of the messages format, as its documents describe it: a prompt is tools, then system, then messages; what ends
 * at a mark is stored, and a later request is served the longest of its own beginnings, at the end of a block, that is.
 */
import type { Json } from '../../src/core/schema/json.ts';

type Block = { [key: string]: Json };

const MOST_MARKS = 4;
const BLOCKS_LOOKED_BACK = 20;
const TEXT_KEYS = new Set(['type', 'text', 'cache_control']);

type Cache = {
  problems: string[];
  /** The share of this prompt that the cache serves; stores what is marked in it. */
  take: (body: { [key: string]: Json }) => number;
};

export function openCache(): Cache {
  const stored = new Set<string>();
  const problems: string[] = [];
  return {
    problems,
    take: (body) => {
      const blocks = blocksIn(body, problems);
      const marks = blocks.flatMap((block, index) => (block['cache_control'] === undefined ? [] : [index]));
      if (marks.length > MOST_MARKS) problems.push(`${marks.length} marks, at most ${MOST_MARKS}`);
      const sizes = blocks.map((block) => JSON.stringify(plain(block)).length);
      const upTo = (end: number): string => JSON.stringify(blocks.slice(0, end + 1).map(plain));
      const served = marks.flatMap((mark) =>
        Array.from({ length: Math.min(BLOCKS_LOOKED_BACK, mark + 1) }, (_, back) => mark - back).filter((end) =>
          stored.has(upTo(end)),
        ),
      );
      for (const mark of marks) stored.add(upTo(mark));
      const sum = (end: number): number => sizes.slice(0, end + 1).reduce((total, size) => total + size, 0);
      return served.length === 0 ? 0 : sum(Math.max(...served)) / sum(sizes.length - 1);
    },
  };
}

const plain = (block: Block): Block =>
  Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'cache_control'));

function blocksIn(body: { [key: string]: Json }, problems: string[]): Block[] {
  const tools = (body['tools'] ?? []) as Block[];
  const system = textBlocks(body['system'] ?? [], 'system', problems);
  const messages = (body['messages'] as { role: string; content: Json }[]).flatMap(({ content }) =>
    textBlocks(content, 'message', problems),
  );
  for (const block of [...tools, ...system, ...messages]) {
    const mark = block['cache_control'];
    if (mark !== undefined && JSON.stringify(mark) !== '{"type":"ephemeral"}')
      problems.push(`a mark that is none: ${JSON.stringify(mark)}`);
  }
  return [...tools, ...system, ...messages];
}

function textBlocks(content: Json, place: string, problems: string[]): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content as Block[]).map((block) => {
    const odd = Object.keys(block).find((key) => block['type'] === 'text' && !TEXT_KEYS.has(key));
    if (odd !== undefined) problems.push(`${place}: a block of text with ${odd}`);
    if (block['type'] === 'text' && block['text'] === '') problems.push(`${place}: an empty block of text`);
    return block;
  });
}
