/** Owns: what Ctrl-K finds while a person types: what waits, runs, files, conversations, facts, procedures and graphs. */
import { z } from 'zod';
import { viewFolds } from '../../kit/house/open-views.ts';
import { graphNames } from '../../kit/graphs/graph-files.ts';
import { search } from '../../kit/views/search-query.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { listConversations } from '../../rooms/chat/model/chat-queries.ts';
import { findOnDesk } from '../../rooms/desk/page/desk-files.ts';
import type { SearchHit } from '../../core/schema/view-answers.ts';

const MOST_HITS = 30;
const MOST_OF_A_KIND = 6;

const Found = z
  .strictObject({
    kind: z.enum(['wait', 'run', 'file', 'conversation', 'fact', 'procedure', 'graph']).describe('What it is.'),
    title: z.string().describe('Its title.'),
    detail: z.string().describe('How it stands, or where it is; may be empty.'),
    path: z.string().describe('Where it is shown, below the address of the dashboard.'),
  })
  .describe('Something that was found.');
type Found = z.infer<typeof Found>;

export const findQuery = defineQuery({
  params: z.strictObject({ text: z.string().max(200).describe('Words, or their beginnings.') }),
  answer: z.strictObject({ found: z.array(Found).describe('By kind, the best of each kind first.') }),
  read: async ({ home, params: { text }, views, signal }) => {
    const { folds } = await viewFolds();
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const hasAll = (name: string): boolean => words.every((word) => name.toLowerCase().includes(word));
    const sources = { views: folds, ledgers: home.ledgers, signal, isWithoutEvents: true };
    const { hits, conversations } = await views(async (rows) => ({
      hits: (await search(rows, sources, { text, limit: MOST_HITS })).hits.toReversed(),
      conversations: listConversations(rows).filter(({ name }) => hasAll(name)),
    }));
    const of = (kind: Found['kind']): Found[] => hits.filter((hit) => hit.kind === kind).flatMap(foundHit);
    const files = findOnDesk(home, text, MOST_OF_A_KIND).map(
      ({ path, name }): Found => ({
        kind: 'file',
        title: name,
        detail: path === name ? '' : path,
        path: `/desk?path=${encodeURIComponent(path)}`,
      }),
    );
    const chats = conversations.map(({ name, id }): Found => {
      return { kind: 'conversation', title: name, detail: '', path: `/chat/${encodeURIComponent(id)}` };
    });
    const graphs = graphNames(home)
      .filter(hasAll)
      .map((name): Found => ({ kind: 'graph', title: name, detail: '', path: `/graphs/${encodeURIComponent(name)}` }));
    const lists = [of('wait'), of('run'), files, chats, of('fact'), of('procedure'), graphs];
    return { found: words.length === 0 ? [] : lists.flatMap((list) => list.slice(0, MOST_OF_A_KIND)) };
  },
});

function foundHit({ kind, name, text, run, state, at }: SearchHit): Found[] {
  const title = text.split('\n', 1)[0]?.slice(0, 160) ?? '';
  const detail = [state ?? '', at.slice(0, 10)].filter(Boolean).join(', ');
  switch (kind) {
    case 'wait':
      return run === null ? [] : [{ kind, title, detail: 'needs you', path: `/runs/${encodeURIComponent(run)}` }];
    case 'run':
      return [{ kind, title, detail, path: `/runs/${encodeURIComponent(name)}` }];
    case 'fact':
      return state === 'forgotten'
        ? []
        : [{ kind, title, detail: '', path: `/memory?q=${encodeURIComponent(title.slice(0, 120))}` }];
    case 'procedure':
      return [{ kind, title, detail, path: `/memory/procedures/${encodeURIComponent(name)}` }];
    default:
      return [];
  }
}
