/** What takes how much of the disk, and what of it goes when. */
import type { VNode } from 'preact';
import type { z } from 'zod';
import { formatBytes, formatCount } from '../../../kit/web/browser/components/format-figures.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { useQuery } from '../../../kit/web/browser/query-data.ts';
import type { DiskAnswer } from '../health-answers.ts';
import { t } from '../../../kit/web/browser/words.ts';

type Answer = z.infer<typeof DiskAnswer>;

export function DiskSection(): VNode {
  const found = useQuery<Answer>('disk', {});
  return html`<section class="card" aria-labelledby="disk">
    <h2 id="disk">On the disk</h2>
    ${
      found.state === 'reading'
        ? html`<p class="soft">Looking at every file…</p>`
        : found.state === 'failed'
          ? html`<${Problem} error=${found.error} />`
          : html`<${Parts} data=${found.data} />`
    }
  </section>`;
}

function Parts({ data: { parts, bytes, now } }: { data: Answer }): VNode {
  return html`<p>This home takes ${formatBytes(bytes)}. ${describeTidying(now)}</p>
    <div class="scroll"><table class="parts">
      <thead><tr><th>Part</th><th class="number">Size</th><th>What happens to it</th></tr></thead>
      <tbody>
        ${parts.map(({ part, path, bytes: size, goes }) => html`<tr><td><span title=${path}>${part}</span></td><td class="number">${formatBytes(size)}</td><td>${goes}</td></tr>`)}
      </tbody>
    </table></div>
    <p class="soft">The ages are in <code>config.json</code>, under <code>maintenance</code>.</p>`;
}

function describeTidying(now: Answer['now']): VNode | string {
  if (now === null || now.bytes === 0) return t('There is nothing to tidy up now.');
  const { artifacts, outbox, tools, bytes } = now;
  return html`Tidying up now would free ${formatBytes(bytes)}: ${formatCount(artifacts)} artifacts, ${formatCount(outbox.length)} results, ${formatCount(tools.length)} old versions of tools. <code>oka tidy</code>`;
}
