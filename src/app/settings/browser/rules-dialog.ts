/** A change of the rules: what it does to the file, and the login that confirms it; or the command, where it cannot be done here. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { z } from 'zod';
import { ApiError, post, type Submitted } from '../../../kit/web/browser/api.ts';
import { Differences } from '../../../kit/web/browser/components/differences.ts';
import { Dialog } from '../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../kit/web/browser/components/notices.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { html } from '../../../kit/web/browser/html.ts';
import type { RulesChange } from '../rules-change.ts';
import type { RulesPreview } from '../settings-answers.ts';
import { t } from '../../../kit/web/browser/words.ts';

type Preview = z.infer<typeof RulesPreview>;
type DialogProps = { change: RulesChange; hasPassphrase: boolean; onDone: () => void; onClose: () => void };

export function RulesDialog({ change, hasPassphrase, onDone, onClose }: DialogProps): VNode {
  const preview = useSignal<Preview | null>(null);
  useEffect(
    () => void attempt(async () => (preview.value = await post<Preview>('rules-preview', { change }))),
    [JSON.stringify(change)],
  );
  const shown = preview.value;
  return html`<${Dialog} title="Change the rules?" onClose=${onClose}>
    ${
      shown === null
        ? html`<p class="soft">Reading…</p>`
        : html`<p>This is what changes in <code>${shown.path}</code>.</p>
          <${Differences} diff=${{ before: null, after: null, hunks: shown.hunks }} />
          ${
            shown.problem !== null
              ? html`<${Problem} error=${{ code: 'invalid-file', message: shown.problem }} />`
              : shown.command !== null
                ? html`<${HostCommand} command=${shown.command} />`
                : html`<${Confirm} change=${change} replaces=${shown.replaces} hasPassphrase=${hasPassphrase} onDone=${onDone} />`
          }`
    }
  <//>`;
}

function HostCommand({ command }: { command: string }): VNode {
  const copy = (): void =>
    void attempt(() => navigator.clipboard.writeText(command), t('Copied. Paste it into a terminal there.'));
  return html`<p>The rules cannot be written from here. Run this on the machine that has them, in the folder of the home:</p>
    <pre class="host-command" tabindex="0">${command}</pre>
    <footer><button type="button" class="primary" onClick=${copy}>Copy the command</button></footer>`;
}

type ConfirmProps = {
  change: RulesChange;
  replaces: string | null;
  hasPassphrase: boolean;
  onDone: () => void;
};

function Confirm({ change, replaces, hasPassphrase, onDone }: ConfirmProps): VNode {
  const proof = useSignal('');
  const problem = useSignal<ApiError | null>(null);
  const isBusy = useSignal(false);
  const confirm = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    try {
      const { done } = await post<Submitted>('rules', { change, replaces, proof: proof.value.trim() });
      notice(done === undefined ? t('It counts once a worker runs. Start it: oka up') : t('The rules are changed.'));
      (event.target as HTMLElement).closest('dialog')?.close();
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return html`<form class="stack" onSubmit=${confirm}>
    <label class="stack">${hasPassphrase ? t('Your passphrase, or a fresh link') : t('A fresh link')}
      <input type="password" required autocomplete="current-password" aria-describedby="proof-note" value=${proof.value} onInput=${(event: InputEvent) => (proof.value = (event.target as HTMLInputElement).value)} />
    </label>
    <p id="proof-note" class="soft">Rules say what oka may do, so you log in for each change. A link is made on the machine itself: <code>oka web link</code></p>
    ${problem.value === null ? null : html`<${Problem} error=${problem.value} />`}
    <footer><button type="submit" class="primary" disabled=${isBusy.value}>Change the rules</button></footer>
  </form>`;
}
