/** What the built-in tools have in common: typed input, and failures as outcomes. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { awaitsSpace, messageOf, OkaError } from '../core/schema/errors.ts';
import type { OpenFolder } from '../core/schema/folder.ts';
import type { Json } from '../core/schema/json.ts';
import type { SideEffectClass } from '../core/schema/effect.ts';
import { type Author, type Outcome, type Tool, ToolAnnotations, type ToolCall } from '../core/schema/tool.ts';
import { artifactsOf, type BodyText } from './text/body-text.ts';

type Definition<Input extends z.ZodType> = Pick<
  Tool,
  'name' | 'about' | 'output' | 'allowedBy' | 'asksEachTime' | 'preview' | 'witness' | 'undo'
> & {
  input: Input;
  annotations: z.input<typeof ToolAnnotations>;
  targets: readonly (keyof z.output<Input> & string)[];
  internal?: true;
  parallel?: true;
  class:
    | SideEffectClass
    | ((input: z.output<Input>, author: Author, folders: readonly OpenFolder[]) => SideEffectClass);
  /** What a call would do, where its class is about its rights. */
  judgedClass?: (input: z.output<Input>, author: Author, folders: readonly OpenFolder[]) => SideEffectClass;
  /** Narrower than the annotation, which applies to every input. */
  idempotent?: (input: z.output<Input>) => boolean;
  fingerprint?: (input: z.output<Input>) => Promise<string>;
  /** May throw `Refused`, what `failure` makes, and an abort. */
  act: (input: z.output<Input>, call: ToolCall) => Promise<Outcome> | Outcome;
};

/**
 * Declares a tool; what `act` gets follows from its schema.
 *
 *     export const upperTool = defineTool({
 *       name: 'text.upper',
 *       about: 'Writes a text in capitals.',
 *       input: z.strictObject({ text: z.string().describe('The text.') }),
 *       output: z.string().describe('The text in capitals.'),
 *       annotations: { read_only: true, idempotent: true, cacheable: true, risk: 'low' },
 *       targets: ['text'],
 *       class: 'read',
 *       act: ({ text }) => ({ status: 'ok', output: text.toUpperCase() }),
 *     });
 */
export function defineTool<Input extends z.ZodType>(definition: Definition<Input>): Tool {
  const { class: effect, act, fingerprint, idempotent, judgedClass, ...rest } = definition;
  return {
    ...rest,
    annotations: ToolAnnotations.parse(definition.annotations),
    classOf: (given, author = 'model', folders = []) => {
      if (typeof effect === 'string') return effect;
      const parsed = rest.input.safeParse(given);
      return parsed.success ? effect(parsed.data, author, folders) : 'external_mutation';
    },
    ...(judgedClass === undefined
      ? {}
      : {
          judgedClassOf: (given, author = 'model', folders = []) => {
            const parsed = rest.input.safeParse(given);
            return parsed.success ? judgedClass(parsed.data, author, folders) : 'external_mutation';
          },
        }),
    ...(idempotent === undefined
      ? {}
      : {
          idempotent: (given) => {
            const parsed = rest.input.safeParse(given);
            return parsed.success && idempotent(parsed.data);
          },
        }),
    ...(fingerprint === undefined
      ? {}
      : { fingerprint: (given) => fingerprintOrUnique(() => fingerprint(rest.input.parse(given))) }),
    invoke: async (given, call) => {
      const parsed = rest.input.safeParse(given);
      if (!parsed.success)
        return { status: 'failed', error: `${rest.name}: ${z.prettifyError(parsed.error)}`, temporary: false };
      try {
        return await act(parsed.data, call);
      } catch (error) {
        return toOutcome(error, call);
      }
    },
  };
}

/** `bodies` are the bodies that the output shows. */
export function ok(output: object, ...bodies: readonly BodyText[]): Extract<Outcome, { status: 'ok' }> {
  return { status: 'ok', output: output as Json, ...artifactsOf(...bodies) };
}

/** Something that is never done, whoever asks. A class, because the stores throw `not-permitted` for other reasons. */
export class Refused extends OkaError {
  constructor(message: string, fix: string) {
    super('not-permitted', message, { fix });
  }
}

/** Something that did not work. */
export function failure(message: string, fix: string, cause?: unknown): OkaError {
  return new OkaError('usage', message, { fix, cause });
}

/** What cannot be read never has the same fingerprint twice, so no result of it is cached. */
async function fingerprintOrUnique(stamp: () => Promise<string>): Promise<string> {
  try {
    return await stamp();
  } catch (error) {
    return `${messageOf(error)} ${randomUUID()}`;
  }
}

function toOutcome(error: unknown, call: ToolCall): Outcome {
  if (call.signal.aborted) return { status: 'cancelled', error: `${call.tool} was stopped` };
  if (!(error instanceof OkaError) || awaitsSpace(call, error)) throw error;
  const words = error.fix === undefined ? error.message : `${error.message}. ${error.fix}`;
  return { status: error instanceof Refused ? 'denied' : 'failed', error: words };
}
