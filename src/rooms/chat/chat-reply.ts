/**
 * Owns: the request to a model at each turn of a reply in a conversation, and the decision that its answer is read as.
 *
 * C1 The beginning of the request (persona, rules, tools, older messages) stays the same from turn to turn, so that
 *    providers can cache it; what changes comes last.
 * C2 Text without a call is the reply. Calls are those of any worker, guarded alike.
 */
import type { Decision } from '../../core/schema/decision.ts';
import type { ModelAnswer, ModelRequest, PlannerInput } from '../../core/schema/ports.ts';
import { escapeInvisible } from '../../core/schema/one-line.ts';
import { offeredTools, readDecision } from '../../kit/task/executor.ts';
import type { Problem } from '../../kit/text/model-call.ts';
import { describeSkills, type Offers } from '../../kit/task/offers.ts';
import { growingText, truncateText } from '../../kit/text/prompt-text.ts';
import { separateSkills } from '../../kit/text/used-skills.ts';
import { buildHistory, selectPictures } from '../../kit/task/work-history.ts';

type ReplyPrompt = {
  /** Who answers, and the rules of conversations. */
  system: string;
  /** The conversation, already bounded. */
  conversation: string;
  /** Whom it answers, and what about. */
  asked: string;
  /** Memories, already selected and shortened. */
  pack: string;
  now: string;
  offers: Pick<Offers, 'skills'>;
};

/** Bytes for the work of this reply so far. */
const WORK_BYTES = 60_000;
/** A reply ends by its text, so nothing else has to end it. */
const NOT_OFFERED = new Set(['finish', 'fail', 'note']);

export function replyRequest(input: PlannerInput, prompt: ReplyPrompt): ModelRequest {
  const pictures = selectPictures(input.evidence);
  const skills = separateSkills(input.evidence, WORK_BYTES);
  const listed = input.tools.some(({ name }) => name === 'skill.use') ? describeSkills(prompt.offers) : '';
  const work = buildHistory(skills.rest, WORK_BYTES, pictures);
  const head = [
    listed,
    prompt.conversation,
    prompt.pack === '' ? '' : `Memories:\n${prompt.pack}`,
    prompt.asked,
    skills.shown,
    work.length === 0 ? '' : 'Your work on this reply so far, which the others do not see:',
  ];
  const end = [
    `Now: ${prompt.now}.`,
    ...(input.notes ?? []).map((note) => `While you worked, the operator added: ${escapeInvisible(note)}`),
    input.problem === null
      ? ''
      : `Your last answer was not accepted: ${truncateText(escapeInvisible(input.problem), 1000)}`,
  ];
  const shown = [...pictures.values()].flat();
  const parts = [head, ...work.map((turn) => [turn]), end].map((each) =>
    each.filter((part) => part !== '').join('\n\n'),
  );
  const growing = growingText(parts.map((part, index) => (index === 0 ? part : `\n\n${part}`)));
  return {
    role: 'executor',
    system: prompt.system,
    messages: [{ role: 'user', ...growing, ...(shown.length === 0 ? {} : { pictures: shown }) }],
    tools: offeredTools(input).filter(({ name }) => !NOT_OFFERED.has(name)),
    parallel: true,
    mayAnswer: true,
    maxTokens: null,
  };
}

export function readReply(answer: ModelAnswer, input: PlannerInput, mostCalls?: number): Decision | Problem {
  if (answer.call !== null) return readDecision(answer, input, mostCalls);
  const text = answer.text.trim();
  if (text === '') return { problem: 'the answer is empty; write the message' };
  return { kind: 'Finish', output: { text, model: answer.model }, rationale: '' };
}
