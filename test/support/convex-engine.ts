/** Two engines that execute the real functions of convex/ in this process, behind one shape. */
import { convexTest } from 'convex-test';
import { makeFunctionReference } from 'convex/server';
import type { Value } from 'convex/values';
import schema from '../../convex/schema.ts';
import type { Tables, Writing } from '../../convex/typed.ts';
import { indexedEngine } from './convex-indexed.ts';

export type Kind = 'query' | 'mutation';
export type Table = keyof Tables;
export type Args = { [name: string]: Value };

export type Engine = {
  call(kind: Kind, path: string, args: Args): Promise<Value>;
  /** Does something to the database directly, in one transaction. */
  run<T>(handler: (ctx: Writing) => Promise<T>): Promise<T>;
};

/**
 * `convex-test` is the project's functional oracle: it checks arguments, answers, the schema and the limits of a
 * transaction; but it reads every document for every query. `indexed` has real indexes, for many events.
 */
export const engines: Readonly<Record<'convex-test' | 'indexed', () => Engine>> = {
  'convex-test': convexTestEngine,
  indexed: () => indexedEngine(schema, functions),
};

/** By the path that a deployment would know them under. convex-test finds the root by the folder of generated code. */
const functions = { replica: () => import('../../convex/replica.ts') };
const modules = {
  '/convex/_generated/none.js': () => Promise.resolve({}),
  '/convex/replica.ts': functions.replica,
};

function convexTestEngine(): Engine {
  const deployment = convexTest({ schema, modules, transactionLimits: true });
  return {
    call: (kind, path, args) =>
      kind === 'query'
        ? deployment.query(makeFunctionReference<'query', Args, Value>(path), args)
        : deployment.mutation(makeFunctionReference<'mutation', Args, Value>(path), args),
    run: (handler) => deployment.run((ctx) => handler(ctx)),
  };
}
