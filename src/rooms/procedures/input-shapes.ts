/**
 * Owns: what the files are like that the steps of a procedure read, and whether it has met such files. A procedure does what
 * it did before, whatever it reads: where its world has changed, a model plans.
 */
import type { Json } from '../../core/schema/json.ts';
import type { FileShape, Procedure, Usual } from '../../core/schema/procedure.ts';
import { readHead } from '../../kit/desk/read-head.ts';
import { oddShape, shapeOf } from '../../kit/learning/file-shape.ts';
import type { Execution } from '../../kit/learning/execution-record.ts';
import { expectedOf } from '../../kit/learning/result-traits.ts';
import type { Values } from './parameter-values.ts';

export type InputShapes = Record<string, FileShape>;

const MOST_FILES = 20;
const MOST_SHAPES = 12;
const HOLE = /\{\{(?:input\.)?([a-z][a-z0-9_]*)\}\}/g;

/** By the place of each file in the steps ("data/{{input.name}}.csv"), as they are before the steps begin. */
export function inputShapes({ graph }: Pick<Procedure, 'graph'>, values: Values, desk: string): InputShapes {
  const places = new Set(textsIn(graph).flatMap((text) => text.split(/[\s"'`|;&<>()=,]+/)));
  const shapes: InputShapes = {};
  for (const place of places) {
    if (Object.keys(shapes).length >= MOST_FILES) break;
    if (place.length > 500 || !/[{./]/.test(place)) continue;
    const head = readHead(
      desk,
      place.replaceAll(HOLE, (_, name: string) => values[name] ?? ''),
    );
    if (head !== null) shapes[place] = shapeOf(head.text);
  }
  return shapes;
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(textsIn);
}

/** Why its files are not like those of its good runs; null when they are, or nobody knows. */
export function oddInput(usual: Usual | null, shapes: InputShapes): string | null {
  for (const [place, shape] of Object.entries(shapes)) {
    const odd = oddShape(usual?.inputs[place] ?? [], shape);
    if (odd !== null) return `${place.replaceAll(HOLE, '…')} is not like before: ${odd}`;
  }
  return null;
}

/** What these good runs read and wrote. */
export function usualOf(runs: readonly Pick<Execution, 'read' | 'wrote'>[]): Usual {
  const inputs: Usual['inputs'] = {};
  for (const [place, shape] of runs.flatMap(({ read = {} }) => Object.entries(read))) {
    const known = inputs[place] ?? [];
    const isNew = known.length === 0 || oddShape(known, shape) !== null;
    inputs[place] = isNew ? [...known, shape].slice(-MOST_SHAPES) : known;
  }
  return { inputs, result: expectedOf(runs.flatMap(({ wrote }) => wrote ?? [])) };
}
