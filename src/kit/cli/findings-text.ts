/** What was checked, line by line, with how to fix what is wrong. */
import type { Finding } from '../../core/schema/finding.ts';
import type { Terminal } from './io.ts';
import { plainText } from './plain-text.ts';

export function renderFindings(findings: readonly Finding[], { green, yellow, red }: Terminal): string {
  return findings
    .map(({ state, what, found, fix }) => {
      const mark = state === 'good' ? green('✓') : state === 'odd' ? yellow('!') : red('✗');
      const hint = fix === undefined ? '' : `${' '.repeat(12)}→ ${plainText(fix)}\n`;
      return `${mark} ${what.padEnd(10)}${plainText(found)}\n${hint}`;
    })
    .join('');
}
