/** Questions and approvals that replies wait for, asked and answered inside of a chat. */
import { chosenOption, type WaitAnswer, type WaitFor } from '../../../core/schema/wait.ts';
import { describeWait } from '../../../kit/views/event-sentence.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { terminalText } from './terminal-text.ts';

export type OpenQuestion = { agent: string; wait: string; for: WaitFor };

/** The answer that a line is, or why it is none. */
export function answerFrom(question: OpenQuestion, line: string): { answer: WaitAnswer } | { problem: string } {
  const text = line.trim();
  const { for: asked } = question;
  if (asked.kind === 'approval') {
    const [, word = '', reason = ''] = /^([a-z]*)[\s,.;:!]*([^]*)$/i.exec(text) ?? [];
    const verdict = /^(?:y|yes|approve)$/i.test(word) ? 'approved' : /^(?:n|no|deny)$/i.test(word) ? 'denied' : null;
    const isForTool = /^always\s+for\s+this\s+tool\b/i.test(text) && asked.asked?.may_be_always === true;
    const isAlways = !isForTool && /^always$/i.test(word) && asked.asked?.grant !== undefined;
    if (verdict === null && !isAlways && !isForTool)
      return { problem: 'This needs yes or no; /say sends a message meanwhile.' };
    return {
      answer: {
        verdict: verdict ?? 'approved',
        by: operatorName(),
        binding: asked.binding,
        ...(reason === '' || isForTool ? {} : { text: reason }),
        ...(isAlways ? { always: true } : {}),
        ...(isForTool ? { always_for_tool: asked.asked?.tool ?? '' } : {}),
      },
    };
  }
  if (asked.kind === 'question' && asked.branch === true && asked.options !== undefined)
    if (chosenOption(asked.options, text) === null)
      return { problem: `The answers are ${asked.options.join(', ')}; /say sends a message meanwhile.` };
  return { answer: { verdict: 'answered', text, by: operatorName() } };
}

/** Everything that a person needs to decide. */
export function renderQuestion({ agent, for: asked }: OpenQuestion, { bold, yellow, dim }: Terminal): string {
  const indent = (text: string): string =>
    terminalText(text)
      .split('\n')
      .map((line) => `  ${line}`)
      .join('\n');
  if (asked.kind !== 'approval' || asked.asked === undefined)
    return `${yellow(`${agent} waits for ${terminalText(describeWait(asked))}`)}\n`;
  const { command, why, changes, values, grant, may_be_always: mayBeAlways } = asked.asked;
  const lines = [
    yellow(`${agent} asks for your approval`),
    bold(indent(command)),
    dim(indent(why)),
    ...changes.map((change) => indent(change)),
    ...values.map(({ field, value, origin }) => indent(`${field}: ${value} (from ${origin})`)),
    dim(
      `  yes, no${grant === undefined ? '' : ', always (for this reply)'}${mayBeAlways === true ? ', always for this tool' : ''}; words behind it are passed on`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

export const questionPrompt = ({ for: { kind } }: OpenQuestion): string =>
  kind === 'approval' ? 'yes or no › ' : 'answer › ';
