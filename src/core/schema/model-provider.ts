/**
 * A provider of models: everything that is known about it, in the one object that a room contributes. The models room
 * contributes the built-in ones; a server that speaks the OpenAI protocol needs none (`custom:`).
 */
import type { Json } from './json.ts';
import type { ModelPrice } from './model.ts';
import type { Clock, Model } from './ports.ts';

/**
 * A provider.
 *
 *     export const parrot: ProviderDefinition = {
 *       name: 'parrot',
 *       keyName: null,
 *       needsKey: () => false,
 *       baseUrl: () => '',
 *       priceOf: () => ({ in: 0, out: 0 }),
 *       open: ({ model }) => {
 *         const complete: Model['complete'] = async ({ messages }) => ({
 *           text: messages.at(-1)?.text ?? '',
 *           call: null,
 *           usage: { tokens_in: 1, tokens_out: 1, usd: 0, ms: 0 },
 *           model: `parrot:${model}`,
 *         });
 *         return { id: `parrot:${model}`, complete, stream: complete };
 *       },
 *     };
 */
export type ProviderDefinition = {
  /** The word before the colon in provider:model. */
  readonly name: string;
  /** Environment variables that it reads, besides that of its key. */
  readonly variables?: readonly string[];
  /** Name of the secret, or of the environment variable, with its key; null if it never needs one. */
  readonly keyName: string | null;
  /** Whether it cannot be called without a key at this address. */
  needsKey: (baseUrl: string) => boolean;
  /** The address to which the path of a call is appended; '' without a server. Throws for one that cannot be parsed. */
  baseUrl: (configured: string | undefined, variables: Variables) => string;
  /** Null if unknown. */
  priceOf: (model: string) => ModelPrice | null;
  /** Whether this model understands pictures; none does if it is left out. */
  sees?: (model: string) => boolean;
  /** What a person can do when the model is not known there, or the server cannot be reached. */
  readonly advice?: { unknown?: (called: Called) => string; down?: (called: Called) => string };
  /** Problems that are visible without a call. */
  problems?: (called: Called, ports: Pick<ProviderPorts, 'folder'>) => { message: string; fix: string }[];
  /** How `oka model setup` offers it; a provider without this is not offered. */
  readonly setup?: ProviderSetup;
  /** The headers of a request for the list of its models; left out if its servers have none. */
  listHeaders?: (key: string | null) => Record<string, string>;
  open: (called: Called, ports: ProviderPorts) => Model;
};

export type ProviderSetup = {
  label: string;
  /** Whether it is a server of the operator's own, whose address has to be asked for. */
  asksAddress: boolean;
  /** The name of a model that it usually has; used as an example. */
  example: string;
};

/** Which models a server has, or why that is not known: the key was refused, nobody answered, or there is no list. */
export type ModelListing =
  | { state: 'listed'; models: string[] }
  | { state: 'refused' }
  | { state: 'unreachable'; problem: string }
  | { state: 'none' };

/** Environment variables by name; an empty one counts as not set. */
export type Variables = Readonly<Partial<Record<string, string>>>;

export type NamedModel = { provider: string; model: string };

/** Everything that is needed to call one model. */
export type Called = NamedModel & {
  baseUrl: string;
  key: () => Promise<string | null>;
  /** Name of the secret or variable with its key; null if it needs none. */
  keyName: string | null;
  needsKey: boolean;
  temperature: number | null;
  topP: number | null;
  /** The longest answer, thoughts included. */
  maxTokens: number;
  /** The context window: prompt and answer together. */
  contextTokens: number;
  timeoutMs: number;
  price: ModelPrice | null;
  /** Whether it makes tool calls itself, or writes them as text. */
  toolCalls: 'native' | 'text';
  /** Whether it is sent pictures. */
  sees: boolean;
  extra: Readonly<Record<string, Json>>;
  advice: NonNullable<ProviderDefinition['advice']>;
};

export type Fetch = typeof globalThis.fetch;

export type ProviderPorts = {
  /** The only route to a server. */
  fetch: Fetch;
  /** Measures how long a turn takes. */
  clock: Clock;
  /** Whether recorded answers are replayed, so that no key is needed. */
  replayed: boolean;
  /** The folder that relative paths refer to. */
  folder: string;
};
