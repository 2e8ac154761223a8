/** The status of a run or a step: a word with a mark, never a colour alone. */
import type { VNode } from 'preact';
import { html } from '../html.ts';
import { Icon } from './icon.ts';
import { t } from '../words.ts';

const RING = 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z';
const MARKS: Readonly<Record<string, string>> = {
  done: `${RING}M8 12.5l2.7 2.7L16 9.5`,
  failed: `${RING}M9 9l6 6M15 9l-6 6`,
  cancelled: `${RING}M8.5 12h7`,
  skipped: `${RING}M8.5 12h7`,
  running: 'M12 3a9 9 0 0 1 9 9',
  blocked: `${RING}M12 7.5v5M12 16h.01`,
  waiting: `${RING}M12 7.5V12l3 2`,
  paused: `${RING}M10 9v6M14 9v6`,
};

/** `word` stands in place of the status, such as "waited" for what no longer waits; it has no colour then. */
export function Status({ status, word }: { status: string; word?: string | undefined }): VNode {
  const look = word === undefined ? status : 'skipped';
  return html`<span class=${`status ${look}`}><${Icon} path=${MARKS[status] ?? RING} />${word ?? t(status)}</span>`;
}
