/** Replies that have not ended: who is thinking or queued, and the words as they come. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from '../../../../kit/web/browser/html.ts';
import { onLive } from '../../../../kit/web/browser/live-events.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { ConversationEntry, OpenReply } from '../../../../core/schema/chat-answers.ts';
import { change } from './change-conversation.ts';
import { t } from '../../../../kit/web/browser/words.ts';

const MOST_TEXT = 8000;

type Props = { conversation: ConversationEntry; delays: Readonly<Record<string, string>> };

export function OpenReplies({ conversation: { id, queue }, delays }: Props): VNode | null {
  if (queue.length === 0) return null;
  return html`<ul class="replies" aria-label="Replies to come">
    ${queue.map((reply) => html`<${Reply} key=${reply.notice} reply=${reply} conversation=${id} delay=${delays[reply.run ?? '']} />`)}
  </ul>`;
}

function Reply({
  reply,
  conversation,
  delay,
}: {
  reply: OpenReply;
  conversation: string;
  delay: string | undefined;
}): VNode {
  const { notice, agent, run } = reply;
  const words = useLiveText(run);
  const stop = (): Promise<boolean> => change({ kind: 'chat_stop', conversation, notice });
  return html`<li>
    <p class="row"><strong>${agent}</strong> <span class="soft">${delay === undefined ? describeState(reply) : t('waits for {}', delay)}</span>
      ${run !== null && html`<a href=${addressOf(`/runs/${encodeURIComponent(run)}`)}>Watch</a>`}
      <button type="button" class="quiet" onClick=${stop}>Stop</button></p>
    ${words !== '' && html`<p class="plain live-words" aria-live="off">${words}</p>`}
  </li>`;
}

function describeState({ state, tool, waits_for: other, why }: OpenReply): string {
  switch (state) {
    case 'queued':
      return t('is queued');
    case 'thinking':
      return t('is thinking…');
    case 'using a tool':
      return t('uses {}…', tool ?? t('a tool'));
    case 'waiting for you':
      return t('waits for you');
    case 'waiting for another':
      return t('waits for {}, who writes to the same folder', other ?? t('another'));
    case 'waiting for its model':
      return t('waits for its model: {}', why ?? t('it cannot be asked now'));
    case 'waiting for the budget':
      return t('waits for the budget of the day');
  }
}

/** What a model writes in a run, or in a run inside it, as it comes. */
function useLiveText(run: string | null): string {
  const [text, setText] = useState('');
  useEffect(() => {
    setText('');
    if (run === null) return undefined;
    return onLive((message) => {
      if (message.run !== run && !message.run.startsWith(`${run}.`)) return;
      if (message.kind === 'text') setText((before) => (before + message.text).slice(-MOST_TEXT));
      if (message.kind === 'end') setText('');
    });
  }, [run]);
  return text;
}
