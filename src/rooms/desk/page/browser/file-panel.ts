/** One file: what it looks like, what can be done with it, and which runs made and changed it. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../../../../kit/web/browser/api.ts';
import { type Diff, Differences } from '../../../../kit/web/browser/components/differences.ts';
import { FilePreview } from '../../../../kit/web/browser/components/file-preview.ts';
import { formatBytes } from '../../../../kit/web/browser/components/format-figures.ts';
import { attempt, noticeError } from '../../../../kit/web/browser/components/notices.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { undoRun } from '../../../../kit/web/browser/components/undo-run.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { useQuery } from '../../../../kit/web/browser/query-data.ts';
import { addressWithTicket } from '../../../../kit/web/browser/session-key.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { FilesAnswer, Touch } from '../files-answer.ts';
import { askWhatToDo } from './ask-what-to-do.ts';
import { addressOfFile } from './file-address.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Shown = { data: FilesAnswer; reload: () => void };
type File = NonNullable<FilesAnswer['file']>;

export function FilePanel({ data: { file, path, folder, history }, reload }: Shown): VNode {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return html`<section class="card file-panel" aria-labelledby="file-name">
    <header>
      <div class="row apart"><h2 id="file-name">${name}</h2><a class="close" href=${addressOfFile(folder)} aria-label="Close the file">×</a></div>
      ${
        file === null
          ? html`<p class="soft">There is no such file any more.</p>`
          : html`<p class="soft"><span class="number">${formatBytes(file.bytes)}</span>, changed <${Time} at=${file.modified} /></p>
            <${FileButtons} file=${file} reload=${reload} />`
      }
    </header>
    ${file === null ? null : html`<div class="preview"><${Preview} file=${file} /></div>`}
    <h3>History</h3>
    ${
      history.length === 0
        ? html`<p class="soft">${file === null ? t('No task is known that made it.') : t('No task made or changed it: it is yours.')}</p>`
        : html`<${Touches} history=${history} reload=${reload} />`
    }
  </section>`;
}

function FileButtons({ file, reload }: { file: File; reload: () => void }): VNode {
  return html`<p class="row">
    ${start.rights === 'all' ? html`<button type="button" class="primary" onClick=${() => void attempt(() => askWhatToDo(file)).then(reload)}>Do something with it…</button>` : null}
    <a class="button" href=${addressWithTicket(`/${file.href}?download`)} download>Download</a>
  </p>`;
}

const DOCUMENTS = /\.(?:pdf|docx|odt|xlsx?|ods|pptx|odp|epub|eml)$/i;

function Preview({ file }: { file: File }): VNode {
  if (file.bytes === 0) return html`<p class="soft">It is empty.</p>`;
  return DOCUMENTS.test(file.name)
    ? html`<${DocumentPreview} file=${file} />`
    : html`<${FilePreview} file=${file} version=${file.modified} />`;
}

type DocumentText = { text: string; is_cut: boolean; problem: string | null };

function DocumentPreview({ file: { path } }: { file: File }): VNode {
  const found = useQuery<DocumentText>('file-text', { path });
  if (found.state === 'reading') return html`<p class="soft" role="status">Reading the document …</p>`;
  if (found.state === 'failed') return html`<p class="soft">${found.error.message}</p>`;
  const { text, is_cut: isCut, problem } = found.data;
  return problem !== null
    ? html`<p class="soft">${problem}</p>`
    : html`<pre class="document">${text}</pre>${isCut && html`<p class="soft">Only the beginning is shown; download it for the rest.</p>`}`;
}

const DID: Readonly<Record<Touch['change'], string>> = {
  created: t('Made by'),
  changed: t('Changed by'),
  removed: t('Removed by'),
};

type History = { history: readonly Touch[]; reload: () => void; isFileNamed?: boolean };

/** What runs did, each with its differences when it is opened, and a way back. */
export function Touches({ history, reload, isFileNamed = false }: History): VNode {
  return html`<ol class="touches">${history.map(
    (touch) =>
      html`<${TouchRow} key=${`${touch.run} ${touch.path}`} touch=${touch} reload=${reload} isFileNamed=${isFileNamed} />`,
  )}</ol>`;
}

type RowProps = { touch: Touch; reload: () => void; isFileNamed: boolean };

function TouchRow({ touch, reload, isFileNamed }: RowProps): VNode {
  const { run, title, at, change, is_undone: isUndone, path } = touch;
  const [diff, setDiff] = useState<Diff | null>(null);
  const show = (): void => {
    if (diff !== null) setDiff(null);
    else get<Diff>('run-diff', { run, path }).then(setDiff, noticeError);
  };
  const undo = async (): Promise<void> => {
    await attempt(() => undoRun({ run }));
    reload();
  };
  return html`<li>
    ${isFileNamed && html`<p><a href=${addressOfFile(path)}>${path}</a></p>`}
    <p class="row apart">
      <span>${DID[change]} <a href=${addressOf(`/runs/${encodeURIComponent(run)}`)}>${title}</a>, <${Time} at=${at} />${isUndone && html` <span class="tag">undone</span>`}</span>
      ${
        !isFileNamed &&
        html`<span class="row">
        <button type="button" class="quiet" aria-expanded=${diff === null ? 'false' : 'true'} onClick=${show}>${diff === null ? t('What changed') : t('Hide')}</button>
        ${start.rights === 'all' && !isUndone && html`<button type="button" class="quiet" onClick=${() => void undo()}>Undo…</button>`}
      </span>`
      }
    </p>
    ${diff !== null && html`<${Differences} diff=${diff} />`}
  </li>`;
}
