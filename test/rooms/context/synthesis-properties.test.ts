import { assert, asyncProperty, constantFrom, dictionary, string } from 'fast-check';
import { expect, it } from 'vitest';
import { RegenerationRequest, SynthesisRequest } from '../../../src/core/schema/synthesis.ts';
import { ancestors } from '../../../src/rooms/context/synthesis/synthesis-plan.ts';
import { memoryTree, type MemoryTree } from '../../support/memory-tree.ts';
import { timesOf } from '../../support/thorough.ts';

const path = constantFrom(
  'a.ts',
  'b.md',
  'one/c.ts',
  'one/d.txt',
  'one/two/e.ts',
  'one/two/f.md',
  'six/g.py',
  'six/seven/h',
);
const files = dictionary(path, string({ maxLength: 60 }), { minKeys: 1, maxKeys: 8 });
const quiet = { act: null, signal: new AbortController().signal };
const RUNS = { numRuns: timesOf(60, 8) };

type Heads = Record<string, { id: string; basis: string }>;

function headsOf({ tree }: MemoryTree): Promise<Heads> {
  return tree.read('workspace', (reader) =>
    Object.fromEntries(
      [...reader.places()].flatMap(([at]) => {
        const head = reader.node(at) === null ? null : reader.head(at, 'summary');
        return head === null ? [] : [[at, { id: head.id, basis: head.basis }]];
      }),
    ),
  );
}

async function withTree<T>(given: Record<string, string>, use: (home: MemoryTree) => Promise<T>): Promise<T> {
  const home = memoryTree(given);
  try {
    await home.tree.scan('workspace');
    await home.synthesis.synthesize(SynthesisRequest.parse({}), quiet);
    return await use(home);
  } finally {
    home.close();
  }
}

const regenerate = (home: MemoryTree): Promise<{ made: readonly { path: string }[] }> =>
  home.synthesis.regenerate(RegenerationRequest.parse({ recursive: true }), quiet);

it('same child frames give the same branch frame, in any tree', async () => {
  await assert(
    asyncProperty(files, async (given) => {
      expect(await withTree(given, headsOf)).toEqual(await withTree(given, headsOf));
    }),
    RUNS,
  );
});

it('a changed child changes exactly the bases above it', async () => {
  await assert(
    asyncProperty(files, path, string({ maxLength: 40 }), async (given, changed, text) => {
      const target = Object.keys(given).includes(changed) ? changed : (Object.keys(given)[0] ?? '');
      const other = text === given[target] ? `${text}.` : text;
      await withTree(given, async (home) => {
        const before = await headsOf(home);
        home.write({ [target]: other });
        await home.tree.scan('workspace');
        const { made } = await regenerate(home);
        const after = await headsOf(home);
        const different = Object.keys(after).filter((at) => after[at]?.basis !== before[at]?.basis);
        expect(different.toSorted()).toEqual([target, ...ancestors(target)].toSorted());
        expect(made.map(({ path: at }) => at).toSorted()).toEqual(different.toSorted());
      });
    }),
    RUNS,
  );
});

it('regeneration twice is regeneration once, and the same as synthesis of the files as they are', async () => {
  await assert(
    asyncProperty(files, files, async (given, changes) => {
      await withTree(given, async (home) => {
        home.write(Object.fromEntries(Object.entries(changes).filter(([at]) => Object.hasOwn(given, at))));
        await home.tree.scan('workspace');
        await regenerate(home);
        const once = await headsOf(home);
        const count = home.events.length;
        await regenerate(home);
        expect(await headsOf(home)).toEqual(once);
        expect(home.events.length).toBe(count);
        const now = {
          ...given,
          ...Object.fromEntries(Object.entries(changes).filter(([at]) => Object.hasOwn(given, at))),
        };
        expect(once).toEqual(await withTree(now, headsOf));
      });
    }),
    RUNS,
  );
});
