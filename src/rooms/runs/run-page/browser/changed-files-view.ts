/** The files that a run changed, each with its differences when it is opened. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../../../../kit/web/browser/api.ts';
import { type Diff, Differences } from '../../../../kit/web/browser/components/differences.ts';
import { formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { noticeError } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Files = {
  files: { path: string; change: 'created' | 'changed' | 'removed' }[];
  left: number;
  is_known: boolean;
};
/** Read when the page is opened, and again when the run has ended. */
export function ChangedFiles({ run, isOpen }: { run: string; isOpen: boolean }): VNode | null {
  const [found, setFound] = useState<Files | null>(null);
  const [most, setMost] = useState(100);
  useEffect(() => void get<Files>('run-files', { run }).then(setFound, noticeError), [run, isOpen]);
  if (found === null || (found.is_known && found.files.length === 0)) return null;
  const { files, left, is_known: isKnown } = found;
  const many = files.length + left;
  return html`<details id="files" class="card"><summary><h2>${many === 1 ? t('1 file changed') : t('{} files changed', formatCount(many))}</h2></summary>
    ${!isKnown && html`<p class="soft">The snapshots that would show it were removed; they are stored for a limited time.</p>`}
    ${files.slice(0, most).map((file) => html`<${ChangedFile} key=${file.path} run=${run} file=${file} />`)}
    ${files.length > most && html`<button type="button" onClick=${() => setMost(most + 500)}>Show more of ${many}</button>`}
  </details>`;
}

function ChangedFile({ run, file: { path, change } }: { run: string; file: Files['files'][number] }): VNode {
  const [diff, setDiff] = useState<Diff | null>(null);
  const load = (event: Event): void => {
    if ((event.target as HTMLDetailsElement).open && diff === null)
      get<Diff>('run-diff', { run, path }).then(setDiff, noticeError);
  };
  return html`<details onToggle=${load}><summary><span class="tag">${t(change)}</span> <code>${path}</code></summary>
    ${diff !== null && html`<${Differences} diff=${diff} />`}
  </details>`;
}
