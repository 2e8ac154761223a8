/**
 * Owns: the documentation of the API as OpenAPI 3.1, made from the schemas by which requests are checked.
 *
 * O1 Every query of every page, every kind of intake that a page submits, and every other route is in it.
 */
import type { Hono } from 'hono';
import { z } from 'zod';
import { programVersion } from '../../settings.ts';
import { Intake } from '../../../core/schema/intake.ts';
import type { Page, Query } from '../page.ts';
import { type DescribedRoute, Submitted } from './described-route.ts';
import { queriesOf } from './query-routes.ts';

type Schema = { [keyword: string]: unknown };
type Operation = { [field: string]: unknown };
export type OpenApi = {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Record<string, never[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, Schema> };
};

export function addOpenApiRoute(
  app: Hono,
  pages: readonly Page[],
  routes: readonly DescribedRoute[],
  base: string,
): void {
  let document: OpenApi | null = null;
  app.get('/api/v1/openapi.json', (context) => context.json((document ??= describeApi(pages, routes, base)) as never));
}

export function describeApi(pages: readonly Page[], routes: readonly DescribedRoute[], base: string): OpenApi {
  const schemas: Record<string, Schema> = { Problem: schemaOf(Problem, 'output', 'Problem', {}) };
  const paths: OpenApi['paths'] = {};
  const add = (method: string, path: string, operation: Operation): void => {
    paths[path] = { ...paths[path], [method]: operation };
  };
  for (const [name, query] of queriesOf(pages)) {
    const method = query.isPosted === true ? 'post' : 'get';
    add(method, `/api/v1/${name}`, describeQuery(name, query, schemas));
  }
  add('post', '/api/v1/intakes', describeIntakes(pages, schemas));
  for (const route of routes) add(route.method, route.path, describeRoute(route, schemas));
  return {
    openapi: '3.1.1',
    info: { title: 'oka', version: programVersion(), description: ABOUT },
    servers: [{ url: base }],
    security: [{ cookie: [] }, { token: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: 'oka', description: 'Of a browser that has logged in.' },
        token: { type: 'http', scheme: 'bearer', description: 'Made by oka web token; one may be read-only.' },
      },
    },
  };
}

const ABOUT =
  'What the dashboard shows and does. Queries only read. An intake asks the worker for something, and the worker decides.';

const Problem = z
  .strictObject({
    error: z
      .strictObject({
        code: z.string().describe('What kind of problem it is.'),
        message: z.string().describe('What was wrong.'),
        fix: z.string().optional().describe('What to do about it.'),
      })
      .describe('The problem.'),
  })
  .describe('A refusal.');

function describeQuery(name: string, query: Query, schemas: Record<string, Schema>): Operation {
  const answer = describeAnswer(name, query.answer, schemas);
  const head = { operationId: name, summary: query.answer.description ?? name, responses: responses(answer) };
  if (query.isPosted === true) return { ...head, requestBody: bodyOf(name, query.params, schemas) };
  return { ...head, parameters: parametersOf(name, query.params, schemas) };
}

function describeIntakes(pages: readonly Page[], schemas: Record<string, Schema>): Operation {
  const allowed = new Set<string>(pages.flatMap(({ intakes }) => intakes));
  const kinds = Intake.options.filter(({ shape }) => allowed.has(shape.kind.value));
  const refs = kinds.map((kind) => {
    const name = `intake_${kind.shape.kind.value}`;
    schemas[name] = schemaOf(kind, 'input', name, schemas);
    return ref(name);
  });
  return {
    operationId: 'intakes',
    summary: 'Asks the worker for something.',
    requestBody: { required: true, content: { 'application/json': { schema: { oneOf: refs } } } },
    responses: responses(describeAnswer('intakes', Submitted, schemas)),
  };
}

function describeRoute(route: DescribedRoute, schemas: Record<string, Schema>): Operation {
  const { method, path, summary, params, body, answer, media, isOpen, status } = route;
  const name = `${path.replace(/^\/(?:api\/v1\/)?/, '').replaceAll(/\W+/g, '_')}_${method}`;
  const content = media === undefined ? describeAnswer(name, answer ?? z.looseObject({}), schemas) : { [media]: {} };
  return {
    operationId: name,
    summary,
    ...(params === undefined ? {} : { parameters: parametersOf(name, params, schemas) }),
    ...(body === undefined ? {} : { requestBody: bodyOf(name, body, schemas) }),
    responses: responses(content, status),
    ...(isOpen === true ? { security: [] } : {}),
  };
}

function parametersOf(name: string, params: z.ZodObject, schemas: Record<string, Schema>): Operation[] {
  const { properties = {}, required = [] } = schemaOf(params, 'input', `${name}_params`, schemas) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([parameter, { description, ...schema }]) => ({
    name: parameter,
    in: 'query',
    required: required.includes(parameter),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function bodyOf(name: string, body: z.ZodType, schemas: Record<string, Schema>): Operation {
  schemas[`${name}_body`] = schemaOf(body, 'input', `${name}_body`, schemas);
  return { required: true, content: { 'application/json': { schema: ref(`${name}_body`) } } };
}

function describeAnswer(name: string, answer: z.ZodType, schemas: Record<string, Schema>): Operation {
  schemas[name] = schemaOf(answer, 'output', name, schemas);
  return { 'application/json': { schema: ref(name) } };
}

const responses = (content: Operation, status = 200): Operation => ({
  [String(status)]: { description: 'The answer.', content },
  default: {
    description: 'A refusal, with what to do about it.',
    content: { 'application/json': { schema: ref('Problem') } },
  },
});

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Definitions inside a schema become components of their own, since references count from the root of the document. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', name: string, schemas: Record<string, Schema>): Schema {
  const {
    $schema: _version,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema & {
    $defs?: Record<string, Schema>;
  };
  for (const [key, inner] of Object.entries($defs)) schemas[`${name}_${key}`] = moveRefs(inner, name) as Schema;
  return moveRefs(own, name) as Schema;
}

function moveRefs(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((each) => moveRefs(each, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key !== '$ref' || typeof each !== 'string') return [key, moveRefs(each, name)];
      return [key, each === '#' ? ref(name)['$ref'] : each.replace('#/$defs/', `#/components/schemas/${name}_`)];
    }),
  );
}
