/** Queries and mutations that know the tables, from the schema itself: no generated code is needed to deploy or check. */
import {
  type DataModelFromSchemaDefinition,
  type GenericMutationCtx,
  type GenericQueryCtx,
  type MutationBuilder,
  mutationGeneric,
  type QueryBuilder,
  queryGeneric,
} from 'convex/server';
import type schema from './schema.ts';

export type Tables = DataModelFromSchemaDefinition<typeof schema>;
export type Row<Table extends keyof Tables> = Tables[Table]['document'];
export type Reading = GenericQueryCtx<Tables>;
export type Writing = GenericMutationCtx<Tables>;

export const query: QueryBuilder<Tables, 'public'> = queryGeneric;
export const mutation: MutationBuilder<Tables, 'public'> = mutationGeneric;
