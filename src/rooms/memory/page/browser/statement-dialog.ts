/** Something to remember, in a person's own words: new, or in place of a fact. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { get, submit } from '../../../../kit/web/browser/api.ts';
import { Dialog } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { FactLine, StatementAnswer } from '../memory-answers.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type StatementProps = { topics: readonly string[]; replaces?: FactLine; onClose: () => void };

export function StatementDialog({ topics, replaces, onClose }: StatementProps): VNode {
  const text = useSignal(replaces?.text ?? '');
  const topic = useSignal(replaces?.namespace ?? 'general');
  const isBusy = useSignal(false);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    if (await attempt(() => remember(text.value, topic.value, replaces?.id))) onClose();
    isBusy.value = false;
  };
  const isStanding = topic.value === 'standing';
  return html`<${Dialog} title=${replaces === undefined ? t('Remember') : t('Change what is known')} onClose=${onClose}>
    <form class="stack" onSubmit=${save}>
      <label class="stack">In a sentence
        <textarea rows="3" required maxlength="4000" value=${text.value} onInput=${(event: InputEvent) => (text.value = (event.target as HTMLTextAreaElement).value)}></textarea>
      </label>
      ${
        replaces === undefined
          ? html`<label><input type="checkbox" checked=${isStanding} onChange=${() => (topic.value = isStanding ? 'general' : 'standing')} /> It is valid for every task</label>
            ${
              isStanding
                ? null
                : html`<label class="stack">Topic<input type="text" list="topics" pattern="[a-z0-9\\-]{1,40}" title="Small letters, digits and dashes" value=${topic.value} onInput=${(event: InputEvent) => (topic.value = (event.target as HTMLInputElement).value)} /></label>
                <datalist id="topics">${topics.map((each) => html`<option value=${each}></option>`)}</datalist>`
            }`
          : null
      }
      <footer class="row"><button type="submit" class="primary" disabled=${isBusy.value}>${replaces === undefined ? t('Remember it') : t('Change it')}</button></footer>
    </form>
  <//>`;
}

async function remember(text: string, topic: string, supersedes: string | undefined): Promise<void> {
  const { fact } = await get<StatementAnswer>('statement', { text, topic, supersedes });
  const { worker } = await submit({ kind: 'remember', fact });
  notice(worker ? t('Remembered.') : t('It is remembered once a worker runs. Start it: oka up'));
}
