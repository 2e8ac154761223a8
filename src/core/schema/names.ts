import { z } from 'zod';
import { ID_SHAPE } from './id-shape.ts';

/** Names that end up in file names, templates and hashes: short, printable, without separators. */
export const Id = z
  .string()
  .regex(ID_SHAPE)
  .describe('A name of letters, digits, dot, dash and underscore; starts with a letter or digit.');

export const NodeId = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,79}$/)
  .describe('A node name that can stand in a template: letters, digits, dash and underscore.');

export const CallId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,299}$/)
  .describe('Names a call or a wait: run, node, visit and attempt, never a random number.');

export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('A SHA-256 hash in lower-case hex.');

export const Instant = z.iso.datetime().describe('A moment in UTC, ISO 8601.');
