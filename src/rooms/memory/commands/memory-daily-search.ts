import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderSearch, searchJson, searchMemory, type SearchOptions, type SearchResult } from '../memory-access.ts';

export async function run(call: Call<SearchOptions & { limit: number }>): Promise<Answer<SearchResult>> {
  return answer(await searchMemory(call, 'episodes'));
}

export const render = renderSearch;
export const jsonLines = searchJson;
