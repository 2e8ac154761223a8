/** Names of models as people write them: provider:model, one for everything or one for a role. */
import { OkaError } from '../schema/errors.ts';
import { ModelProvider, type ModelRole } from '../schema/model.ts';

export type NamedModel = { provider: ModelProvider; model: string };

/** `default` speaks for every role that has no name of its own. */
export type ModelNames = Partial<Record<ModelRole | 'default', NamedModel>>;

const ROLES: readonly ModelRole[] = ['planner', 'executor', 'critic'];

const EXAMPLES = 'openai:gpt-5-mini, anthropic:claude-sonnet-4-5, ollama:llama3.2 or custom:my-model';

/** Only the first colon parts: models may have colons of their own, such as ollama:llama3.2:3b. */
export function parseModelName(text: string, where = 'OKA_MODEL'): NamedModel {
  const name = text.trim();
  const colon = name.indexOf(':');
  const provider = ModelProvider.safeParse(name.slice(0, Math.max(colon, 0)));
  const model = name.slice(colon + 1);
  if (colon < 1) throw wrong(where, `"${shown(name)}" does not say who serves it`);
  if (!provider.success) throw wrong(where, `there is no provider "${shown(name.slice(0, colon))}"`);
  if (!/^\S+$/.test(model)) throw wrong(where, `"${shown(name)}" does not say which model`);
  return { provider: provider.data, model };
}

/** `a:b` for everything, `planner=c:d` for a role, and several of them with commas in between. */
export function parseModelNames(text: string, where = 'OKA_MODEL'): ModelNames {
  const names: ModelNames = {};
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [slot, name] = slotOf(part.trim(), where);
    if (names[slot] !== undefined) throw wrong(where, `two models are named for ${slot}`);
    names[slot] = parseModelName(name, where);
  }
  return names;
}

export function nameOf({ provider, model }: NamedModel): string {
  return `${provider}:${model}`;
}

/** A model may have a = in its name, but not before the colon. */
function slotOf(part: string, where: string): [ModelRole | 'default', string] {
  const [, slot, name] = /^([^:=]*)=(.*)$/s.exec(part) ?? [];
  if (slot === undefined || name === undefined) return ['default', part];
  const role = ROLES.find((each) => each === slot.trim());
  if (role === undefined) throw wrong(where, `there is no role "${shown(slot.trim())}"; there is ${ROLES.join(', ')}`);
  return [role, name];
}

function wrong(where: string, what: string): OkaError {
  return new OkaError('usage', `${where}: ${what}`, {
    fix: `Write provider:model, such as ${EXAMPLES}; for single roles planner=provider:model,executor=provider:model.`,
  });
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
