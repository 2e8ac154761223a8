import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import * as replica from '../../convex/replica.ts';

const folder = join(import.meta.dirname, '../../convex');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('_generated'),
);

it('the functions need nothing but the package convex and what lies beside them', () => {
  for (const path of sources) {
    const imported = [...readFileSync(join(folder, path), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from);
    expect(imported.filter((from) => !/^(convex\/(server|values)|\.\.?\/[\w/]+\.ts)$/.test(from ?? ''))).toEqual([]);
    expect(imported.filter((from) => from?.includes('_generated'))).toEqual([]);
  }
});

it('every file has a name that a deployment accepts', () => {
  expect(sources.filter((path) => !/^[\w/]+\.ts$/.test(path))).toEqual([]);
});

it('as one bundle they run where there is no Node, and are the queries and mutations that were written', async () => {
  await using bundle = await rolldown({ input: join(folder, 'replica.ts'), platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'iife', name: 'deployed' });
  const context = createContext({ process: { env: {} }, TextEncoder, TextDecoder, console });
  runInContext(output[0].code, context);
  const deployed = (context as { deployed: Record<string, { isQuery?: true; isMutation?: true; isPublic?: true }> })
    .deployed;
  expect(Object.keys(deployed).toSorted()).toEqual(Object.keys(replica).toSorted());
  for (const [name, { isQuery, isMutation, isPublic }] of Object.entries(deployed))
    expect({ name, isQuery, isMutation, isPublic }).toEqual({
      name,
      isPublic: true,
      ...(name === 'append' ? { isMutation: true } : { isQuery: true }),
    });
});
