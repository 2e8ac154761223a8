/** The set-up page: which model thinks, tried before it is used. "Not now" is an answer, too. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ApiError, get, post } from '../../../kit/web/browser/api.ts';
import { noticeError } from '../../../kit/web/browser/components/notices.ts';
import { Status } from '../../../kit/web/browser/components/status-mark.ts';
import { html } from '../../../kit/web/browser/html.ts';
import type { ViewProps } from '../../../kit/web/browser/page-data.ts';
import { navigate } from '../../../kit/web/browser/router.ts';
import { addressOf, start } from '../../../kit/web/browser/start.ts';
import { t } from '../../../kit/web/browser/words.ts';

type Provider = {
  name: string;
  label: string;
  asks_address: boolean;
  address: string | null;
  takes_key: boolean;
  example: string;
};
type Outcome = {
  request: string | null;
  model: string | null;
  outcome: 'set' | 'no-answer' | 'read-only' | 'refused' | 'later';
  message: string;
  fix: string | null;
  text: string | null;
};
type SetupData = {
  worker: string;
  model: string | null;
  put_off: boolean;
  providers: Provider[];
  last: Outcome | null;
  welcome: { run: string; title: string; status: string } | null;
};
type Choice = { act: 'use' | 'keep' | 'later'; request: string; model?: string; url?: string; key?: string };

const POLL_MS = 1000;
const PATIENCE_MS = 90_000;

export default function SetupView({ data, reload }: ViewProps<SetupData>): VNode {
  const outcome = useSignal<Outcome | null>(null);
  const newKey = useSignal<string | null>(null);
  const isTrying = useSignal(false);

  async function choose(choice: Omit<Choice, 'request'>): Promise<void> {
    const request = crypto.randomUUID();
    isTrying.value = true;
    outcome.value = null;
    try {
      const sent = await post<{ done?: Outcome; new_key: string | null }>('model', { ...choice, request });
      newKey.value = sent.new_key ?? newKey.value;
      outcome.value = sent.done ?? (await awaitOutcome(request));
      if (outcome.value.outcome === 'later') navigate('/');
      else reload();
    } catch (error) {
      noticeError(error);
    } finally {
      isTrying.value = false;
    }
  }

  return html`<div class="setup">
    <h1>Choose a model</h1>
    <p>Runbooks, whose steps are commands that you wrote, need no model. Tasks in plain words need one: they are planned, carried out and checked with it.</p>
    ${data.model === null ? null : html`<p>Now: <strong>${data.model}</strong></p>`}
    ${data.worker === 'running' || data.worker === 'paused' ? null : html`<div class="warning"><p>A model can be set here only while the worker runs. Start it: oka up</p></div>`}
    ${start.rights === 'all' ? html`<${ModelForm} providers=${data.providers} isTrying=${isTrying.value} onChoose=${choose} canKeep=${outcome.value?.outcome === 'no-answer'} />` : null}
    <div aria-live="polite">
      ${isTrying.value ? html`<p>Asking it one short question…</p>` : null}
      ${outcome.value === null ? null : html`<${OutcomeBox} outcome=${outcome.value} />`}
      ${newKey.value === null ? null : html`<div class="warning"><p>The vault has a new key of its own: <code>${newKey.value}</code>. Store a copy in a safe place; without it nobody can open the vault again.</p></div>`}
    </div>
    ${
      data.welcome === null
        ? null
        : html`<h2>Meanwhile</h2><p>The first task shows what oka does: <a href=${addressOf(`/runs/${encodeURIComponent(data.welcome.run)}`)}>${data.welcome.title}</a> <${Status} status=${data.welcome.status} /></p>`
    }
  </div>`;
}

/** A model may take longer than the server waits for the worker. */
async function awaitOutcome(request: string): Promise<Outcome> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const { last } = await get<SetupData>('setup');
    if (last?.request === request) return last;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  throw new ApiError({
    code: 'late',
    message: t('There is no answer yet.'),
    fix: t('Is the worker running? See: oka status'),
  });
}

type FormProps = {
  providers: readonly Provider[];
  isTrying: boolean;
  canKeep: boolean;
  onChoose: (choice: Omit<Choice, 'request'>) => Promise<void>;
};

function ModelForm({ providers, isTrying, canKeep, onChoose }: FormProps): VNode {
  const name = useSignal(providers[0]?.name ?? '');
  const model = useSignal('');
  const url = useSignal('');
  const key = useSignal('');
  const provider = providers.find((each) => each.name === name.value);
  const choose = (act: 'use' | 'keep'): void => {
    if (provider === undefined || model.value.trim() === '') return;
    void onChoose({
      act,
      model: `${provider.name}:${model.value.trim()}`,
      ...(provider.asks_address && url.value.trim() !== '' ? { url: withScheme(url.value.trim()) } : {}),
      ...(provider.takes_key && key.value.trim() !== '' ? { key: key.value.trim() } : {}),
    });
  };
  const typed =
    (field: { value: string }) =>
    (event: Event): void =>
      void (field.value = (event.target as HTMLInputElement).value);
  const submit = (event: Event): void => {
    event.preventDefault();
    choose('use');
  };
  return html`<form class="card stack" onSubmit=${submit} aria-label="Model">
    <label class="field">Provider<select value=${name.value} onChange=${typed(name)}>${providers.map((each) => html`<option key=${each.name} value=${each.name}>${t(each.label)}</option>`)}</select></label>
    ${provider?.asks_address === true ? html`<label class="field">Address<input value=${url.value} placeholder=${provider.address ?? 'http://127.0.0.1:8080/v1'} onInput=${typed(url)} /></label>` : null}
    ${provider?.takes_key === true ? html`<label class="field">Key<input type="password" autocomplete="off" value=${key.value} placeholder="Leave empty for the one in the vault" onInput=${typed(key)} /></label>` : null}
    <label class="field">Model<input required value=${model.value} placeholder=${t('such as {}', provider?.example ?? '')} onInput=${typed(model)} /></label>
    <p class="soft"><small>A key is encrypted before it is written anywhere, and is stored in the vault for this server only.</small></p>
    <div class="row">
      <button type="submit" class="primary" disabled=${isTrying}>Try it and use it</button>
      ${canKeep ? html`<button type="button" disabled=${isTrying} onClick=${() => choose('keep')}>Use it all the same</button>` : null}
      <button type="button" class="quiet" disabled=${isTrying} onClick=${() => void onChoose({ act: 'later' })}>Not now</button>
    </div>
  </form>`;
}

const withScheme = (url: string): string => (url.includes('://') ? url : `http://${url}`);

function OutcomeBox({ outcome: { outcome, message, fix, text } }: { outcome: Outcome }): VNode {
  const kind = outcome === 'set' || outcome === 'later' ? 'card' : outcome === 'read-only' ? 'warning' : 'problem';
  return html`<div class=${kind} role="status"><p>${message}</p>
    ${fix === null ? null : html`<p class="fix">${fix}</p>`}
    ${text === null ? null : html`<pre>${text}</pre>`}
    ${outcome === 'set' ? html`<p><a class="button" href=${addressOf('/')}>Go on</a></p>` : null}
  </div>`;
}
