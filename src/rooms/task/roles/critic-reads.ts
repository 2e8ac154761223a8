/** Owns: what a critic may read before it judges. Reading goes through the chain like every call. */
import type { Json } from '../../../core/schema/json.ts';
import type { ModelAnswer, ModelTool } from '../../../core/schema/ports.ts';
import { CriticReadInput, CriticSearchInput, answerSchemaOf } from '../../../core/schema/role.ts';

type CriticRead = { tool: 'files.read' | 'files.search'; input: Json };

const MOST_LINES = 50;
const READ = 'files_read';
const SEARCH = 'files_search';

export const CRITIC_READS: readonly ModelTool[] = [
  { name: READ, about: 'Shows a file, or a part of it.', input: answerSchemaOf(CriticReadInput) },
  { name: SEARCH, about: 'Shows the lines that contain a text.', input: answerSchemaOf(CriticSearchInput) },
];

/** Reads of one answer; further ones are left out. */
const MOST_AT_ONCE = 8;

/** The reads that an answer asks for; null when it asks for none, or submits a verdict beside them. */
export function criticReadsIn({ call, more = [] }: ModelAnswer): { reads: CriticRead[] } | null {
  const calls = call === null ? [] : [call, ...more];
  const reads = calls.flatMap((each) => readIn(each) ?? []);
  return reads.length === 0 || reads.length < calls.length ? null : { reads: reads.slice(0, MOST_AT_ONCE) };
}

function readIn({ name, input }: NonNullable<ModelAnswer['call']>): CriticRead | null {
  if (name === READ) {
    const read = CriticReadInput.safeParse(input);
    return read.success ? { tool: 'files.read', input: read.data as Json } : null;
  }
  const search = name === SEARCH ? CriticSearchInput.safeParse(input) : null;
  return search?.success === true
    ? { tool: 'files.search', input: { ...search.data, limit: MOST_LINES } as Json }
    : null;
}
