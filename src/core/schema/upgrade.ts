/**
 * Owns: how data written by an older version becomes data of today. Free of zod, so that readers start fast.
 *
 * U1 upgrades[type][i] turns version i + 1 into version i + 2; the current version is the length of the list + 1.
 * U2 A line of a version we do not know was written by a newer oka: refused, never guessed.
 */
import { OkaError } from './errors.ts';
import type { Json } from './json.ts';

export type Upgrades = Readonly<Record<string, readonly ((data: Json) => Json)[]>>;

const upgrades: Upgrades = {};

export function versionOf(type: string, known: Upgrades = upgrades): number {
  return stepsOf(type, known).length + 1;
}

/** Upgrades the data of a line to the current version. Returns the same object if there is nothing to do. */
export function upgradeLine<Line extends { seq: number; type: string; v: number; data: unknown }>(
  line: Line,
  known: Upgrades = upgrades,
): Line {
  const steps = stepsOf(line.type, known);
  if (line.v === steps.length + 1) return line;
  if (!(line.v >= 1 && line.v <= steps.length)) {
    throw new OkaError(
      'newer-version',
      `seq ${line.seq}: ${line.type} has version ${line.v}; this oka knows up to ${steps.length + 1}`,
      {
        fix: 'Use the version of oka that wrote this ledger, or a newer one.',
      },
    );
  }
  const data = steps.slice(line.v - 1).reduce((value, step) => step(value), line.data as Json);
  return { ...line, v: steps.length + 1, data };
}

function stepsOf(type: string, known: Upgrades): Upgrades[string] {
  return Object.hasOwn(known, type) ? (known[type] ?? []) : [];
}
