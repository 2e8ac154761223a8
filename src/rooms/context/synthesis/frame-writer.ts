/** Owns: asking a model for the text of a frame, as recorded calls of model.complete on behalf of a tool's call. */
import { FRAME_PROMPT, frameRequest, readFrameAnswer } from './frame-request.ts';
import { bytesForTokens } from '../../../kit/text/prompt-text.ts';
import type { ModelAnswer } from '../../../core/schema/ports.ts';
import type { Act, Outcome } from '../../../core/schema/tool.ts';
import type { WriteFrame } from './frame-order.ts';
import { askModel } from '../../../kit/models/ask-model.ts';

/** A frame is short, so more than this of a file is hardly ever worth its price. */
const MOST_TOKENS = 20_000;

/** `contextOf`: how large the context of a model is, in tokens; null when that is not known. */
export function frameWriter(act: Act, contextOf: (model: string | undefined) => number | null): WriteFrame {
  return {
    prompt: FRAME_PROMPT,
    write: async (task, model) => {
      const half = Math.floor((contextOf(model) ?? 32_000) / 2);
      const most = bytesForTokens(Math.min(MOST_TOKENS, half));
      let tokens = 0;
      const counted: Act = async (tool, input, by) => {
        const outcome = await act(tool, input, by);
        tokens += tokensOf(outcome);
        return outcome;
      };
      const asked = await askModel(counted, frameRequest(task, most), { model }, (answer: ModelAnswer) => {
        const read = readFrameAnswer(answer, task, most);
        return 'problem' in read ? read : { ...read, model: answer.model };
      });
      if (asked.kind === 'answer') return { ...asked.answer, tokens };
      return { failed: reasonOf(asked.outcome), isFinal: isFinal(asked.outcome) };
    },
  };
}

function tokensOf(outcome: Outcome): number {
  const usage = 'usage' in outcome ? outcome.usage : undefined;
  return (usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0);
}

function reasonOf(outcome: Outcome): string {
  switch (outcome.status) {
    case 'failed':
    case 'denied':
    case 'cancelled':
      return outcome.error;
    case 'waiting':
      return outcome.for.kind === 'timer' && outcome.for.why !== undefined
        ? `it needs ${outcome.for.why}`
        : 'the model is waited for';
    case 'ok':
      return 'the model did not answer';
  }
}

/** An answer that cannot be used concerns one frame; a model that is down, or a budget that is used up, all of them. */
const isFinal = (outcome: Outcome): boolean =>
  outcome.status !== 'failed' || outcome.temporary === true || !outcome.error.includes('cannot be used');
