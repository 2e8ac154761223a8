/**
 * Owns: the dialog in which a person chooses a model, gives its key and sees it answer.
 *
 * 1. Nothing is stored before the model has answered, or the person wants it kept all the same; then the key is stored
 *    first, for this server only, and the model after it.
 * 2. A key is shown nowhere: not on the screen, in an argument, a log or the ledger.
 */
import {
  describeServer,
  listServerModels,
  type ModelServer,
  type OfferedProvider,
  offeredProviders,
  usualAddress,
} from './model-setup.ts';
import { useModel } from '../../kit/models/configured-models.ts';
import { assertModelsReachable, type ModelTrial, tryModel } from './try-model.ts';
import { withValue } from '../../kit/vault/vault-contents.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { ModelListing } from '../../core/schema/model-provider.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { type Dialog, DialogLeft } from '../../kit/cli/dialog.ts';
import { plainText } from '../../kit/cli/plain-text.ts';
import { changeSecret } from '../../kit/cli/secret-changes.ts';

/** `set` has the model; `later` was chosen; `left` is Ctrl-C. */
type SetupOutcome = { state: 'set'; model: string } | { state: 'later' } | { state: 'left' };

type SetupCall = Pick<Call, 'home' | 'notify' | 'rooms' | 'signal'>;

/** What was answered so far. `key` is one that was typed; null uses what is stored, if anything is. */
type Choice = { provider: OfferedProvider; url: string | undefined; server: ModelServer; key: string | null };
type Step =
  | { at: 'provider' }
  | { at: 'address'; provider: OfferedProvider }
  | { at: 'key'; provider: OfferedProvider; url: string | undefined }
  | { at: 'model'; choice: Choice }
  | { at: 'trial'; choice: Choice; model: string }
  | { at: 'end'; outcome: SetupOutcome };

const MOST_SHOWN = 15;
const later: Step = { at: 'end', outcome: { state: 'later' } };

export async function setUpModel(call: SetupCall, dialog: Dialog): Promise<SetupOutcome> {
  assertModelsReachable();
  let step: Step = { at: 'provider' };
  try {
    while (step.at !== 'end') step = await takeStep(step, call, dialog);
    return step.outcome;
  } catch (error) {
    if (error instanceof DialogLeft) return { state: 'left' };
    throw error;
  }
}

async function takeStep(step: Exclude<Step, { at: 'end' }>, call: SetupCall, dialog: Dialog): Promise<Step> {
  switch (step.at) {
    case 'provider':
      return askProvider(call, dialog);
    case 'address':
      return askAddress(step.provider, dialog);
    case 'key':
      return askKey(step, call, dialog);
    case 'model':
      return askModel(step.choice, call, dialog);
    case 'trial':
      return tryChoice(step.choice, step.model, call, dialog);
  }
}

async function askProvider({ rooms }: SetupCall, dialog: Dialog): Promise<Step> {
  const offered = await offeredProviders(rooms);
  dialog.print(offered.map(({ setup }, index) => `  ${index + 1}  ${setup.label}\n`).join(''));
  for (;;) {
    const answer = await dialog.ask(`Which one? 1 to ${offered.length}, or Enter for later: `);
    if (answer === '' || answer.toLowerCase() === 'later') return later;
    const provider = offered[Number(answer) - 1] ?? offered.find(({ name }) => name === answer.toLowerCase());
    if (provider === undefined) dialog.print(`Please type a number from 1 to ${offered.length}.\n`);
    else return provider.setup.asksAddress ? { at: 'address', provider } : { at: 'key', provider, url: undefined };
  }
}

async function askAddress(provider: OfferedProvider, dialog: Dialog): Promise<Step> {
  const usual = usualAddress(provider);
  const hint = usual === null ? 'such as http://127.0.0.1:8080/v1; Enter to go back' : `Enter for ${usual}`;
  for (;;) {
    const answer = await dialog.ask(`Address of the server (${hint}): `);
    if (answer === '') return usual === null ? { at: 'provider' } : { at: 'key', provider, url: undefined };
    const url = answer.includes('://') ? answer : `http://${answer}`;
    try {
      provider.baseUrl(url, {});
      return { at: 'key', provider, url };
    } catch (error) {
      if (!(error instanceof OkaError)) throw error;
      dialog.print('This is not an address. Write it like http://192.168.1.20:8080/v1, without a password.\n');
    }
  }
}

async function askKey(
  { provider, url }: { provider: OfferedProvider; url: string | undefined },
  { home, rooms }: SetupCall,
  dialog: Dialog,
): Promise<Step> {
  const server = await describeServer(home, provider, url, rooms);
  const choice = { provider, url, server };
  if (provider.keyName === null) return { at: 'model', choice: { ...choice, key: null } };
  if (server.isUnencrypted) dialog.print(`${server.baseUrl} is not encrypted: the network would see a key.\n`);
  const hint = server.hasKey
    ? '; Enter for the one that is set'
    : server.needsKey
      ? '; Enter to go back'
      : '; Enter for none';
  for (;;) {
    const key = await dialog.askHidden(`Key for ${server.host} (it is not shown${hint}): `);
    if (key === '' && server.needsKey && !server.hasKey) return { at: 'provider' };
    if (/^[\x21-\x7e]*$/.test(key)) return { at: 'model', choice: { ...choice, key: key === '' ? null : key } };
    dialog.print('A key has no spaces and no special characters. Paste it once more.\n');
  }
}

async function askModel(choice: Choice, { home, rooms }: SetupCall, dialog: Dialog): Promise<Step> {
  const { provider, server, url, key } = choice;
  dialog.print(`Asking ${server.host} which models it has…\n`);
  const listing = await dialog.during((signal) => listServerModels(home, provider, { url, key, signal, rooms }));
  const problem = listingProblem(listing, server);
  if (problem !== null) {
    dialog.print(`${problem}\n`);
    const back: Step = listing.state === 'refused' ? { at: 'key', provider, url } : firstStepOf(provider);
    const answer = await dialog.ask('Enter to try again, c to continue all the same, l for later: ');
    if (/^l(ater)?$/i.test(answer)) return later;
    if (!/^c(ontinue)?$/i.test(answer)) return back;
  }
  const models = listing.state === 'listed' ? listing.models : [];
  dialog.print(renderModels(models));
  for (;;) {
    const answer = await dialog.ask(modelQuestion(provider, models));
    const model = models[Number(answer) - 1] ?? answer;
    if (model === '') return { at: 'provider' };
    if (/^\S+$/.test(model)) return { at: 'trial', choice, model };
    dialog.print('The name of a model has no spaces.\n');
  }
}

function listingProblem(listing: ModelListing, { host }: ModelServer): string | null {
  if (listing.state === 'refused') return `${host} does not accept this key (401).`;
  return listing.state === 'unreachable' ? `${host} cannot be reached: ${plainText(listing.problem)}` : null;
}

const firstStepOf = (provider: OfferedProvider): Step =>
  provider.setup.asksAddress ? { at: 'address', provider } : { at: 'key', provider, url: undefined };

function renderModels(models: readonly string[]): string {
  const shown = models.slice(0, MOST_SHOWN).map((model, index) => `${String(index + 1).padStart(3)}  ${model}\n`);
  const more = models.length - shown.length;
  return `${shown.join('')}${more > 0 ? `     and ${more} more\n` : ''}`;
}

function modelQuestion({ setup }: OfferedProvider, models: readonly string[]): string {
  return models.length > 0
    ? 'Which model? Its number or name, or Enter to go back: '
    : `Name of the model (such as ${setup.example}; Enter to go back): `;
}

async function tryChoice(choice: Choice, model: string, call: SetupCall, dialog: Dialog): Promise<Step> {
  const { provider, url, key } = choice;
  const name = `${provider.name}:${model}`;
  dialog.print(`Asking ${name} one short question…\n`);
  const trial = await dialog.during((signal) =>
    tryModel(call.home, { name, url, key: key ?? undefined, signal, rooms: call.rooms }),
  );
  if (!trial.answered) {
    const fix = trial.fix === null ? '' : `  ${plainText(trial.fix)}\n`;
    dialog.print(`It does not answer: ${plainText(trial.problem)}\n${fix}`);
    const answer = await dialog.ask(`Enter to ${retryLabel(trial)}, k to keep it all the same, l for later: `);
    if (/^l(ater)?$/i.test(answer)) return later;
    if (!/^k(eep)?$/i.test(answer)) return retryStep(trial, choice);
  } else dialog.print(`It answered after ${(trial.ms / 1000).toFixed(1)} s.\n`);
  await store(choice, name, call, dialog);
  return { at: 'end', outcome: { state: 'set', model: name } };
}

type Failure = Extract<ModelTrial, { answered: false }>;

const retryLabel = ({ kind }: Failure): string =>
  kind === 'no-key' ? 'type another key' : kind === 'unknown' ? 'choose another model' : 'try again';

function retryStep({ kind }: Failure, choice: Choice): Step {
  const { provider, url } = choice;
  if (kind === 'no-key' && provider.keyName !== null) return { at: 'key', provider, url };
  return kind === 'unknown' ? { at: 'model', choice } : firstStepOf(provider);
}

async function store(
  { provider, url, server, key }: Choice,
  name: string,
  call: SetupCall,
  dialog: Dialog,
): Promise<void> {
  const { keyName } = provider;
  if (key !== null && keyName !== null) {
    const rules = { tools: ['model.complete'], hosts: [server.host], commands: [] };
    const now = new Date().toISOString();
    const { data } = await changeSecret(call, keyName, (contents) => {
      const after = withValue(contents, keyName, key, now, rules);
      return { contents: after, change: { version: after.secrets[keyName]?.version ?? 1, change: 'set' } };
    });
    dialog.print(`The key is in the vault as ${keyName}, for ${server.host} and nowhere else.\n`);
    if (data?.new_key != null)
      dialog.print(
        `The vault has a new key of its own: ${data.new_key}\nKeep a copy of it in a safe place: without it nobody can open the vault again.\n`,
      );
  }
  await useModel(call.home, name, url, call.rooms);
  dialog.print(`${name} is set in .oka/rules/config.json.\n`);
}
