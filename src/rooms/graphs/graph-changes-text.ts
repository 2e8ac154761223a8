/** The difference between two graphs, for a person. */
import type { GraphChange } from '../../core/engine/graph-changes.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { indentWrapped } from '../../kit/cli/plain-text.ts';

export function renderChanges(changes: readonly GraphChange[], terminal: Terminal): string {
  const { red, green } = terminal;
  const line = (style: (text: string) => string, sign: string, path: string, value: Json): string =>
    `${style(indentWrapped(`${sign} ${path}: ${JSON.stringify(value)}`, '  ', terminal))}\n`;
  return changes
    .map(({ path, before, after }) =>
      [
        before === undefined ? '' : line(red, '-', path, before),
        after === undefined ? '' : line(green, '+', path, after),
      ].join(''),
    )
    .join('');
}
