/** The login page: uses the link that it was opened with, or asks for the passphrase. */
import { signal } from '@preact/signals';
import { render, type VNode } from 'preact';
import { html } from './html.ts';
import { askServer, keepSessionKey } from './session-key.ts';
import { addressOf } from './start.ts';

type State = 'checking' | 'link' | 'passphrase' | 'in';

const state = signal<State>('checking');
const message = signal('');

async function begin(): Promise<void> {
  const link = location.pathname.endsWith('/login') ? location.hash.slice(1) : '';
  history.replaceState(null, '', location.pathname + location.search); // the secret is not kept in the history
  if (link !== '' && (await logIn({ link }))) return;
  const response = await askServer('/api/v1/login');
  const { session, passphrase } = (await response.json()) as { session: boolean; passphrase: boolean };
  if (session) enter();
  else state.value = passphrase ? 'passphrase' : 'link';
}

async function logIn(body: { link: string } | { passphrase: string }): Promise<boolean> {
  const response = await askServer('/api/v1/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.ok) {
    await keepSessionKey(((await response.json()) as { key: string }).key);
    enter();
    return true;
  }
  const { error } = (await response.json()) as { error: { message: string } };
  message.value = error.message;
  return false;
}

/** To where the person wanted to go. */
function enter(): void {
  state.value = 'in';
  if (location.pathname.endsWith('/login')) location.replace(addressOf('/'));
  else location.reload();
}

function Login(): VNode | null {
  if (state.value === 'checking' || state.value === 'in') return html`<main class="login" aria-busy="true"></main>`;
  return html`<main class="login">
    <h1>oka</h1>
    ${message.value === '' ? null : html`<p class="problem" role="alert">${message.value}</p>`}
    ${state.value === 'passphrase' ? html`<${PassphraseForm} />` : null}
    <p>Get a link that opens this dashboard once, where oka runs:</p>
    <pre><code>oka web link</code></pre>
    <p class="quiet">In Docker: docker compose exec web oka web link</p>
  </main>`;
}

function PassphraseForm(): VNode {
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem('passphrase') as HTMLInputElement;
    void logIn({ passphrase: field.value });
  };
  return html`<form onSubmit=${onSubmit}>
    <label>Passphrase <input name="passphrase" type="password" autocomplete="current-password" required autofocus /></label>
    <button class="primary">Log in</button>
  </form>`;
}

const app = document.getElementById('app');
if (app !== null) {
  render(html`<${Login} />`, app);
  void begin();
}
