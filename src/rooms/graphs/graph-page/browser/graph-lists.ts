/** What belongs to a graph: its runs, times, state and versions. */
import type { VNode } from 'preact';
import { momentInWords } from '../../../../kit/web/browser/components/day-words.ts';
import { formatBytes } from '../../../../kit/web/browser/components/format-figures.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { GraphAnswer } from '../graph-answers.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export function RunList({
  graph,
  runs,
  shown,
}: {
  graph: string;
  runs: GraphAnswer['runs'];
  shown: string | null;
}): VNode {
  return html`<section>
    <h2>Last runs</h2>
    ${
      runs.length === 0
        ? html`<p class="soft">It has not run yet.</p>`
        : html`<table><thead><tr><th scope="col">Run</th><th scope="col">Began</th><th scope="col">In the picture</th></tr></thead><tbody>
          ${runs.map(
            ({ run, status, started, reason }) => html`<tr key=${run} class=${run === shown ? 'chosen' : null}>
              <td><a href=${addressOf(`/runs/${run}`)} title=${reason}><${Status} status=${status} /></a><br /><small>${run}</small></td>
              <td><${Time} at=${started} /></td>
              <td><a href=${addressOf(`/graphs/${graph}?run=${run}`)}>Show</a></td>
            </tr>`,
          )}
        </tbody></table>`
    }
  </section>`;
}

export function ScheduleList({ schedules }: { schedules: GraphAnswer['schedules'] }): VNode {
  return html`<section>
    <h2>When it runs</h2>
    ${
      schedules.length === 0
        ? html`<p class="soft">Only when somebody runs it.</p>`
        : schedules.map(
            ({ schedule, says, timezone, on, next }) => html`<p key=${schedule}>
            <a href=${addressOf('/schedules')}>${schedule}</a>: ${says} (${timezone})${on ? '' : t(', switched off')}
            ${
              next.length === 0
                ? null
                : html`<br /><small>Next ${next
                    .slice(0, 3)
                    .map((at) => momentInWords(at))
                    .join(t(', then '))}</small>`
            }
          </p>`,
          )
    }
  </section>`;
}

type StateProps = { values: GraphAnswer['state']; onRemove: ((key: string) => void) | null };

export function StateList({ values, onRemove }: StateProps): VNode {
  return html`<section>
    <h2>What it remembers</h2>
    ${
      values.length === 0
        ? html`<p class="soft">Nothing.</p>`
        : html`<table><thead><tr><th scope="col">Key</th><th scope="col">Value</th><th scope="col">Written</th>${onRemove === null ? null : html`<th scope="col"><span class="hidden">Change</span></th>`}</tr></thead><tbody>
          ${values.map(
            ({ key, value, bytes, at, by, seq }) => html`<tr key=${key}>
              <td><code>${key}</code></td>
              <td><code>${value === null && bytes > 4 ? formatBytes(bytes) : JSON.stringify(value)}</code></td>
              <td><a href=${addressOf(`/ledger?pen=run&seq=${seq}`)}><${Time} at=${at} /></a><br /><small>by ${by}</small></td>
              ${onRemove === null ? null : html`<td><button type="button" class="quiet" onClick=${() => onRemove(key)}>Forget<span class="hidden"> ${key}</span></button></td>`}
            </tr>`,
          )}
        </tbody></table>`
    }
  </section>`;
}

const CAUSES: Readonly<Record<string, string>> = {
  run: t('first run with it'),
  edited: t('edited'),
  created: t('created'),
  patched: t('patched'),
  rolled_back: t('rolled back to'),
  deleted: t('deleted'),
  built: t('built from an intent'),
  imported: t('imported'),
};

type VersionsProps = { versions: GraphAnswer['versions']; onEdit: ((version: string) => void) | null };

export function VersionList({ versions, onEdit }: VersionsProps): VNode {
  return html`<section>
    <h2>Versions</h2>
    ${
      versions.length === 0
        ? html`<p class="soft">None was saved yet.</p>`
        : html`<table><thead><tr><th scope="col">Version</th><th scope="col">Saved</th><th scope="col">Go back</th></tr></thead><tbody>
          ${versions.map(
            ({ version, cause, at, current }, index) => html`<tr key=${`${version} ${index}`}>
              <td><code>${version.slice(0, 12)}</code>${current ? html` <span class="tag">now</span>` : null}<br /><small>${CAUSES[cause] ?? cause}</small></td>
              <td><${Time} at=${at} /></td>
              <td>${current || onEdit === null ? null : html`<button type="button" class="quiet" onClick=${() => onEdit(version)}>Edit from it</button>`}</td>
            </tr>`,
          )}
        </tbody></table>`
    }
  </section>`;
}
