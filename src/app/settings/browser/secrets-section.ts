/** Secrets by name and use. Values are in the vault, which this process cannot open. */
import type { VNode } from 'preact';
import type { z } from 'zod';
import { formatCount } from '../../../kit/web/browser/components/format-figures.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { Time } from '../../../kit/web/browser/components/time.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { useQuery } from '../../../kit/web/browser/query-data.ts';
import { addressOf } from '../../../kit/web/browser/start.ts';
import type { SecretsAnswer } from '../settings-answers.ts';
import { t } from '../../../kit/web/browser/words.ts';

export function SecretsSection(): VNode {
  const found = useQuery<z.infer<typeof SecretsAnswer>>('secrets', {});
  return html`<section class="card" aria-labelledby="secrets">
    <h2 id="secrets">Secrets</h2>
    ${
      found.state === 'reading'
        ? html`<p class="soft">Reading…</p>`
        : found.state === 'failed'
          ? html`<${Problem} error=${found.error} />`
          : html`<${Names} data=${found.data} />`
    }
  </section>`;
}

function Names({ data: { known, configured, uses } }: { data: z.infer<typeof SecretsAnswer> }): VNode {
  if (known.length + configured.length === 0)
    return html`<p class="soft">There are none. Put one in: <code>oka secrets set NAME</code></p>`;
  return html`<div class="scroll"><table>
      <thead><tr><th>Name</th><th class="number">Version</th><th class="number">Uses</th><th>Last used</th></tr></thead>
      <tbody>
        ${known.map(
          ({ name, version, change, uses: count, used }) => html`<tr>
            <td>${name}${change === 'removed' ? html` <span class="tag">removed</span>` : null}</td>
            <td class="number">${version}</td>
            <td class="number">${formatCount(count)}</td>
            <td>${used === null ? '–' : html`<${Time} at=${used} />`}</td>
          </tr>`,
        )}
        ${configured.map(({ name, from }) => html`<tr><td>${name}</td><td colspan="3">from ${from}</td></tr>`)}
      </tbody>
    </table></div>
    ${
      uses.length === 0
        ? null
        : html`<details><summary>The latest uses</summary><ul>${uses.map(
            ({ at, name, tool, host, run }) =>
              html`<li><${Time} at=${at} /> ${t('{} for {}', name, tool)}${host === null ? '' : `, ${host}`} ${run === null ? null : html`<a href=${addressOf(`/runs/${run}`)}>${run}</a>`}</li>`,
          )}</ul></details>`
    }
    <p class="soft">Where each may go: <code>oka secrets list</code></p>`;
}
