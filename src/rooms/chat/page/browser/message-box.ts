/** The box to write in. While somebody types, agents of the conversation do not ask each other anything. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { post, type Submitted, submit } from '../../../../kit/web/browser/api.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { ConversationEntry } from '../../../../core/schema/chat-answers.ts';
import type { ChatData } from './chat-data.ts';
import { newMessageId } from './chat-message-id.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Props = { conversation: ConversationEntry; agents: ChatData['agents'] };

export const BOX_ID = 'message-box';
const TYPING_EVERY_MS = 5000;
const LONGEST = 16_000;

export function MessageBox({ conversation: { id }, agents }: Props): VNode {
  const text = useSignal('');
  const isSending = useSignal(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const typing = useTyping(id);
  const write = (value: string): void => {
    text.value = value;
    typing(value.trim() !== '');
  };
  const sendMessage = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    const content = text.value.trim();
    if (content === '' || isSending.value) return;
    isSending.value = true;
    const isPosted = await attempt(async () => {
      const { worker }: Submitted = await submit({
        kind: 'chat_post',
        conversation: id,
        message: newMessageId(),
        content,
      });
      if (!worker) notice(t('Saved. It is posted when a worker runs: oka up'));
    });
    isSending.value = false;
    if (isPosted) write('');
    box.current?.focus();
  };
  const mention = (name: string): void => {
    write(`${text.value}${text.value === '' || text.value.endsWith(' ') ? '' : ' '}@${name} `);
    box.current?.focus();
  };
  return html`<form class="message-box" onSubmit=${sendMessage}>
    <div class="row" role="group" aria-label="Mention">${agents.map(
      ({ name, description }) =>
        html`<button key=${name} type="button" class="quiet" title=${description} onClick=${() => mention(name)}>@${name}</button>`,
    )}</div>
    <textarea id=${BOX_ID} ref=${box} rows="2" maxlength=${LONGEST} aria-label="Your message" placeholder="Write a message; Enter sends it" value=${text.value}
      onInput=${(event: InputEvent) => write((event.target as HTMLTextAreaElement).value)}
      onKeyDown=${(event: KeyboardEvent) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void sendMessage(event);
        if (event.key === 'Escape') box.current?.blur();
      }}></textarea>
    <button type="submit" class="primary" disabled=${isSending.value}>Send</button>
  </form>`;
}

/** Reports that somebody types, every few seconds at most, and when the line was sent or left. */
function useTyping(conversation: string): (isTyping: boolean) => void {
  const last = useRef(0);
  const report = (isTyping: boolean): void => {
    if (isTyping ? Date.now() - last.current < TYPING_EVERY_MS : last.current === 0) return;
    last.current = isTyping ? Date.now() : 0;
    post('chat/typing', { conversation, typing: isTyping }).catch(() => undefined); // only a courtesy
  };
  useEffect(() => () => report(false), [conversation]);
  return report;
}
