import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeApi, type OpenApi } from '../../../src/kit/web/api/openapi.ts';
import { describedRoutes } from '../../../src/app/web/api/described-routes.ts';
import { queriesOf } from '../../../src/kit/web/api/query-routes.ts';
import { definePage, defineQuery } from '../../../src/kit/web/page.ts';
import { pages } from '../../../src/app/web/pages.ts';
import { openWebClient } from '../../support/web-client.ts';

const SOURCE = join(import.meta.dirname, '../../../src');

describe('the documentation of the API', () => {
  const document = describeApi(pages, describedRoutes, '/');

  it('has every query of every page, with every parameter and its description', () => {
    for (const [name, { params, isPosted }] of queriesOf(pages)) {
      const operation = document.paths[`/api/v1/${name}`]?.[isPosted === true ? 'post' : 'get'];
      expect(operation, name).toBeDefined();
      const described = (operation?.['parameters'] ?? []) as { name: string; schema: object; required: boolean }[];
      if (isPosted === true) expect(operation?.['requestBody'], name).toBeDefined();
      else expect(described.map((each) => each.name).toSorted(), name).toEqual(Object.keys(params.shape).toSorted());
      for (const { name: parameter, required } of described)
        expect(required, `${name} ${parameter}`).toBe(
          !(params.shape[parameter] as z.ZodType).safeParse(undefined).success,
        );
    }
  });

  it('has every kind of intake that a page submits, and no other', () => {
    const operation = document.paths['/api/v1/intakes']?.['post'] as IntakeOperation | undefined;
    const { oneOf = [] } = operation?.requestBody.content['application/json'].schema ?? {};
    const kinds = oneOf.map(({ $ref }) => $ref.replace('#/components/schemas/intake_', ''));
    expect(kinds.toSorted()).toEqual([...new Set(pages.flatMap(({ intakes }) => intakes))].toSorted());
  });

  it('has every route of the source', () => {
    const written = globSync('{kit,app}/web/**/*.ts', { cwd: SOURCE, exclude: ['**/browser/**'] }).flatMap((file) => {
      const text = readFileSync(join(SOURCE, file), 'utf8');
      return [...text.matchAll(/app\.(get|post)\(\s*'(\/api\/v1\/[^']+|\/metrics)'/g)].map(
        ([, method, path]) => `${method} ${path}`,
      );
    });
    expect(written.length).toBeGreaterThan(8);
    expect(written.filter((route) => !isDescribed(document, route))).toEqual([]);
  });

  it('is valid: every reference leads somewhere, and every operation has a name of its own, answers and a refusal', () => {
    const names = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(names).size).toBe(names.length);
    expect(document.openapi).toMatch(/^3\.1\./);
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/[\w./-]+$/);
    for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
      expect(Object.keys(operation['responses'] as object)).toEqual([expect.stringMatching(/^20[01]$/), 'default']);
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      expect(document.components.schemas, name).toHaveProperty([name ?? '']);
    expect(text.match(/"\$ref":"(?!#\/components\/schemas\/)/)).toBe(null);
    expect(text).not.toContain('"$defs"');
  });

  it('refers to schemas that contain themselves by their place in the document', () => {
    const Tree: z.ZodType = z.lazy(() => z.object({ inside: z.array(Tree) }));
    const query = defineQuery({
      params: z.object({}),
      answer: z.object({ tree: Tree }),
      read: () => Promise.resolve({ tree: null }),
    });
    const view = new URL('file:///none');
    const { components } = describeApi(
      [definePage({ name: 'tree', path: '/tree', title: 'Tree', query, intakes: [], view })],
      [],
      '/',
    );
    const inner = JSON.stringify(components.schemas).match(/#\/components\/schemas\/(tree[^"]*)/)?.[1] ?? '';
    expect(components.schemas).toHaveProperty([inner]);
  });

  it('is served to whoever is logged in, and the list of sessions, one of which can be ended', async () => {
    const client = await openWebClient();
    try {
      expect((await client.send('/api/v1/openapi.json')).status).toBe(401);
      const served = JSON.parse((await client.get('/api/v1/openapi.json')).text) as OpenApi;
      expect(Object.keys(served.paths)).toEqual(Object.keys(document.paths));
      const token = client.token('read');
      const bearer = { headers: { authorization: `Bearer ${token}` } };
      const { sessions } = JSON.parse((await client.send('/api/v1/sessions', bearer)).text) as { sessions: Listed[] };
      expect(sessions.map(({ kind, current }) => `${kind} ${current}`).toSorted()).toEqual([
        'browser false',
        'token true',
      ]);
      const id = sessions.find(({ kind }) => kind === 'token')?.id;
      expect((await client.post('/api/v1/sessions/end', { id: '../x' })).status).toBe(400);
      expect((await client.post('/api/v1/sessions/end', { id })).status).toBe(200);
      expect((await client.post('/api/v1/sessions/end', { id })).status).toBe(404);
      expect((await client.send('/api/v1/sessions', bearer)).status).toBe(401);
    } finally {
      await client.close();
    }
  });
});

type Listed = { id: string; kind: string; current: boolean };
type IntakeOperation = { requestBody: { content: { 'application/json': { schema: { oneOf: { $ref: string }[] } } } } };

function isDescribed({ paths }: OpenApi, route: string): boolean {
  const [method = '', path = ''] = route.split(' ');
  return paths[path]?.[method] !== undefined;
}
