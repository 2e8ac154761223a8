/** Owns: parsing names of models: provider:model, one for everything or one per role. */
import { OkaError } from '../../core/schema/errors.ts';
import type { ModelRole } from '../../core/schema/model.ts';
import type { NamedModel } from '../../core/schema/model-provider.ts';

/** `default` serves every role that has no model of its own. */
export type ModelNames = Partial<Record<ModelRole | 'default', NamedModel>>;

const ROLES: readonly ModelRole[] = ['planner', 'executor', 'critic'];

const EXAMPLES = 'openai:gpt-5-mini, anthropic:claude-sonnet-4-5, ollama:llama3.2 or custom:my-model';

/** `known` are the names of providers. Splits at the first colon only: models may contain colons themselves, such as ollama:llama3.2:3b. */
export function parseModelName(text: string, known: readonly string[], where = 'OKA_MODEL'): NamedModel {
  const name = text.trim();
  const colon = name.indexOf(':');
  const provider = name.slice(0, Math.max(colon, 0));
  const model = name.slice(colon + 1);
  if (colon < 1) throw nameError(where, `"${quoteName(name)}" names no provider`);
  if (!known.includes(provider)) throw nameError(where, `there is no provider "${quoteName(provider)}"`);
  if (!/^\S+$/.test(model)) throw nameError(where, `"${quoteName(name)}" names no model`);
  return { provider, model };
}

/** `a:b` for everything, `planner=c:d` for a role, several separated by commas. */
export function parseModelNames(text: string, known: readonly string[], where = 'OKA_MODEL'): ModelNames {
  const names: ModelNames = {};
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [slot, name] = parseEntry(part.trim(), where);
    if (names[slot] !== undefined) throw nameError(where, `two models are named for ${slot}`);
    names[slot] = parseModelName(name, known, where);
  }
  return names;
}

export function nameOf({ provider, model }: NamedModel): string {
  return `${provider}:${model}`;
}

/** A model may have a = in its name, but not before the colon. */
function parseEntry(part: string, where: string): [ModelRole | 'default', string] {
  const [, slot, name] = /^([^:=]*)=(.*)$/s.exec(part) ?? [];
  if (slot === undefined || name === undefined) return ['default', part];
  const role = ROLES.find((each) => each === slot.trim());
  if (role === undefined)
    throw nameError(where, `there is no role "${quoteName(slot.trim())}"; there is ${ROLES.join(', ')}`);
  return [role, name];
}

function nameError(where: string, what: string): OkaError {
  return new OkaError('usage', `${where}: ${what}`, {
    fix: `Write provider:model, such as ${EXAMPLES}; for single roles planner=provider:model,executor=provider:model.`,
  });
}

function quoteName(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
