import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { TreeAnswer } from '../../../src/rooms/context/page/tree-answers.ts';
import { treeQuery } from '../../../src/rooms/context/page/tree-page-query.ts';
import { askQuery } from '../../support/ask-query.ts';
import { openTreeHome } from '../../support/tree-home.ts';

type Answer = z.infer<typeof TreeAnswer>;

describe('the page of the context tree', () => {
  it('is empty before the first scan', async () => {
    await using at = await openTreeHome();
    expect(await askQuery<Answer>(treeQuery, at.home)).toMatchObject({
      root: null,
      node: null,
      children: [],
      history: [],
    });
  });

  it('shows what is in a folder with stale marks, and the history of a node with its authors', async () => {
    await using at = await openTreeHome();
    at.write({ 'desk/a.txt': 'alpha', 'desk/b.txt': 'beta' });
    await at.scan();
    await at.put('desk/a.txt', 'first');
    await at.put('desk/a.txt', 'second');
    at.write({ 'desk/a.txt': 'changed' });
    await at.scan();
    const desk = await askQuery<Answer>(treeQuery, at.home, { path: 'desk' });
    expect(desk).toMatchObject({ stale: 1, files: 2, plan: { model_calls: 0 } });
    expect(desk.children.map(({ path, heads }) => [path, heads.map(({ stale }) => stale)])).toEqual([
      ['desk/a.txt', ['the content changed']],
      ['desk/b.txt', []],
    ]);
    const root = await askQuery<Answer>(treeQuery, at.home);
    expect(root.children).toMatchObject([{ path: 'desk', stale_below: 1 }]);
    const { history } = await askQuery<Answer>(treeQuery, at.home, { path: 'desk/a.txt' });
    expect(history.map(({ content, agent, is_head }) => [content, agent, is_head])).toEqual([
      ['second', 'oka', true],
      ['first', 'oka', false],
    ]);
    at.write({ 'desk/a.txt': null });
    await at.scan();
    expect(await askQuery<Answer>(treeQuery, at.home, { path: 'desk/a.txt' })).toMatchObject({
      node: null,
      history: [{}, {}],
    });
  });

  it('refuses a workspace that there is not', async () => {
    await using at = await openTreeHome();
    await expect(askQuery(treeQuery, at.home, { workspace: 'other' })).rejects.toThrow('there is no workspace "other"');
  });
});
