/** The page Files: a folder of the desk, and beside it the file that is chosen, or what runs did here lately. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { formatBytes, formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { Icon } from '../../../../kit/web/browser/components/icon.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Key } from '../../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { useQuery } from '../../../../kit/web/browser/query-data.ts';
import { navigate } from '../../../../kit/web/browser/router.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { FilesAnswer } from '../files-answer.ts';
import { addressOfFile, pathOfFile } from './file-address.ts';
import { FilePanel, Touches } from './file-panel.ts';
import { chooseFiles, listenToDrops, UploadButton } from './upload.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Entry = FilesAnswer['entries'][number];

const SHEET = 'M6 3h8l4 4v14H6zM14 3v4h4';
const ICONS: Readonly<Record<string, string>> = {
  folder: 'M3 7a1 1 0 0 1 1-1h5l2 2h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-2.5 4 3.5M15 9.5h.01',
  table: 'M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14',
  page: `${SHEET}M9 13l-1.5 2L9 17M15 13l1.5 2L15 17`,
  json: `${SHEET}M9 13l-1.5 2L9 17M15 13l1.5 2L15 17`,
  none: SHEET,
};
const TEXT = `${SHEET}M9 12h6M9 16h6`;

export const isChangedBy = ({ type }: LedgerEvent): boolean =>
  /^(?:desk\.kept|run\.(?:ended|undone)|task\.)/.test(type);

export default function FilesView({ data, reload }: ViewProps<FilesAnswer>): VNode {
  const isOver = useSignal(false);
  const search = useSignal('');
  const canAct = start.rights === 'all';
  useEffect(() => (canAct ? listenToDrops(isOver, data.folder, reload) : undefined), [data.folder]);
  useEffect(() => void (search.value = ''), [data.path]); // whoever opens what was found wants to see it
  useEffect(() => {
    const readAgain = (): void => (document.visibilityState === 'visible' ? reload() : undefined);
    document.addEventListener('visibilitychange', readAgain); // what people do to their files is in no ledger
    return () => document.removeEventListener('visibilitychange', readAgain);
  }, []);
  const isAside = data.file !== null || !data.is_there;
  return html`<div class=${isOver.value ? 'files-page over' : 'files-page'}>
    <header class="row apart files-head"><h1>Files</h1>
      <div class="row">
        <input type="search" aria-label="Find a file" placeholder="Find a file" value=${search.value} onInput=${(event: InputEvent) => (search.value = (event.target as HTMLInputElement).value)} />
        ${canAct ? html`<${UploadButton} folder=${data.folder} onDone=${reload} />` : null}
      </div>
    </header>
    ${
      search.value.trim() !== ''
        ? html`<${FoundFiles} text=${search.value.trim()} />`
        : html`<${Way} folder=${data.folder} /><div class=${isAside ? 'files-columns aside' : 'files-columns'}>
          <section class="card files-list" aria-label="Folder">
            <${Entries} data=${data} />
          </section>
          ${isAside ? html`<${FilePanel} key=${data.path} data=${data} reload=${reload} />` : html`<${Lately} data=${data} reload=${reload} />`}
        </div>`
    }
  </div>`;
}

/** The folders above, each a link. */
function Way({ folder }: { folder: string }): VNode {
  const names = folder === '' ? [] : folder.split('/');
  const links = [t('Desk'), ...names].map((name, at) => ({ name, path: names.slice(0, at).join('/') }));
  return html`<nav class="way" aria-label="Folders above">
    ${links.map(({ name, path }, at) => html`<span key=${path}>${at === 0 ? null : html`<span class="soft" aria-hidden="true">/</span>`}<a href=${addressOfFile(path)} aria-current=${at === links.length - 1 ? 'location' : null}>${name}</a></span>`)}
  </nav>`;
}

function Entries({ data: { entries, more, path, folder } }: { data: FilesAnswer }): VNode {
  if (entries.length === 0)
    return folder === ''
      ? html`<${Empty} title="Your desk is empty."><p>Files that oka makes appear here. You can also drop files onto this page.</p><//>`
      : html`<p class="soft">This folder is empty.</p>`;
  return html`<ul class="file-rows">
      ${entries.map((entry) => html`<${Row} key=${entry.path} entry=${entry} isChosen=${entry.path === path} />`)}
    </ul>
    ${more === 0 ? null : html`<p class="soft">and ${formatCount(more)} more; find them with the field above</p>`}`;
}

function Row({ entry, isChosen }: { entry: Entry; isChosen: boolean }): VNode {
  const { name, path, kind, bytes, shown, latest, modified } = entry;
  const icon = kind === 'folder' ? ICONS['folder'] : name.endsWith('.svg') ? ICONS['image'] : (ICONS[shown] ?? TEXT);
  const what = html`<${Icon} path=${icon ?? TEXT} /><span class="file-name">${name}</span>
    <small class="by one-line">${latest === null ? null : latest.title}</small>
    <small class="when"><${Time} at=${latest !== null && latest.at > modified ? latest.at : modified} /></small>
    <small class="number size">${kind === 'file' ? formatBytes(bytes) : kind === 'other' ? t('link') : ''}</small>`;
  return html`<li class=${name.startsWith('.') ? 'soft' : null}>${
    kind === 'other'
      ? html`<span class="file-row">${what}</span>`
      : html`<a class=${`file-row ${kind}`} href=${addressOfFile(path)} aria-current=${isChosen ? 'true' : null}>${what}</a>`
  }</li>`;
}

function Lately({ data: { history, folder }, reload }: { data: FilesAnswer; reload: () => void }): VNode {
  return html`<section class="card files-lately" aria-labelledby="lately">
    <h2 id="lately">${folder === '' ? t('Changed lately') : t('Changed lately in this folder')}</h2>
    ${
      history.length === 0
        ? html`<p class="soft">No task has changed anything here.</p>`
        : html`<${Touches} history=${history.slice(0, 12)} isFileNamed reload=${reload} />`
    }
    <p class="soft"><small>oka keeps <a href=${addressOf('/tree')}>notes about files</a>, so that a task need not read all of them.</small></p>
  </section>`;
}

type Found = { files: { path: string; kind: 'folder' | 'file' | 'other' }[] };

function FoundFiles({ text }: { text: string }): VNode {
  const found = useQuery<Found>('files-found', { text });
  if (found.state !== 'read') return html`<p class="soft" role="status">Looking …</p>`;
  const { files } = found.data;
  if (files.length === 0) return html`<${Empty} title="No file is called that." />`;
  return html`<section class="card" aria-label="Found files"><ul class="file-rows">
    ${files.map(
      ({ path, kind }) =>
        html`<li key=${path}><a class="file-row" href=${addressOfFile(path)}><${Icon} path=${kind === 'folder' ? ICONS['folder'] : TEXT} /><span class="file-name">${path}</span></a></li>`,
    )}
  </ul></section>`;
}

/** The row after or before the one that is chosen is opened; without one, the first. */
function move(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('.files-list a.file-row')];
  const at = rows.findIndex((row) => row === document.activeElement || row.getAttribute('aria-current') === 'true');
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
}

export const keys: readonly Key[] = [
  { key: 'j', does: t('Next'), run: () => move(1) },
  { key: 'k', does: t('Previous'), run: () => move(-1) },
  {
    key: 'u',
    does: t('The folder above'),
    run: () => navigate(`/desk?path=${encodeURIComponent(pathOfFile().split('/').slice(0, -1).join('/'))}`),
  },
  { key: 'a', does: t('Add files'), run: chooseFiles },
];
