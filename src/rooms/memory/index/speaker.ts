/**
 * Owns: whose words an imported line is.
 *
 * 1. A role that is given decides between people, assistants and programs; without one, only names of assistants and
 *    programs are recognised.
 * 2. A person is the operator only by name: the words by which people call themselves, or the names given at the import.
 */
import type { Episode } from '../../../core/schema/memory.ts';

export type Speaker = 'operator' | 'person' | 'assistant' | 'tool';

export function speakerOf({ who, role, own }: Pick<Episode, 'who' | 'role' | 'own'>): Speaker {
  const kind = role ?? (ASSISTANT.test(who.trim()) ? 'assistant' : TOOL.test(who.trim()) ? 'tool' : 'user');
  if (kind !== 'user') return kind;
  return (own ?? isOperatorName(who)) ? 'operator' : 'person';
}

const ASSISTANT =
  /^(?:oka|assistant|the assistant|ai|bot|chatbot|model|chatgpt|gpt[\w.-]*|claude[\w .-]*|gemini|copilot)$/i;
const TOOL = /^(?:tool|tools|function|system|shell|terminal|bash|python|browser|web|http|search)(?:[.:/ ].*)?$/i;

/** `names` are those that the operator gave. Nobody is named when a conversation has only roles. */
export function isOperatorName(who: string, names: readonly string[] = []): boolean {
  const name = who.trim().toLowerCase();
  return (
    /^(?:me|i|user|person|owner|operator|ich|moi|yo)$/.test(name) ||
    names.some((each) => each.trim().toLowerCase() === name)
  );
}
