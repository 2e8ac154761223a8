/**
 * Owns: setting the model of a home on request, in the process with the pen: the trial call, the key, config.json.
 *
 * S1 Nothing is stored before the model has answered, unless it is to be kept unasked; the key goes first, for its server
 *    only, and the model after it.
 * S2 The key is in memory and in the vault, nowhere else: what the server says is redacted before anybody is answered.
 * S3 Only `models.use` and the address of that model are changed. Where the rules cannot be written, the answer has the
 *    text to put there.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withValue } from '../../kit/vault/vault-contents.ts';
import { redactorFor } from '../../core/guard/redact.ts';
import { makeFolder, replaceFile, writeProblem } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import type { LateAnswer } from '../../core/schema/room.ts';
import { vaultOf } from '../../kit/vault/home-vault.ts';
import { useModel } from '../../kit/models/configured-models.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import {
  describeServer,
  type ModelServer,
  type OfferedProvider,
  offeredProviders,
  putOffSetup,
} from './model-setup.ts';
import { type ModelTrial, tryModel } from './try-model.ts';

/** How the last request ended. `text` belongs into config.json, which could not be written. */
type ModelSetup = {
  request: string | null;
  at: string;
  model: string | null;
  outcome: 'set' | 'no-answer' | 'read-only' | 'refused' | 'later';
  /** What to know about it, for a person. */
  message: string;
  fix: string | null;
  text: string | null;
};

type ModelIntake = Extract<Intake, { kind: 'model' }>;
type Choice = {
  name: string;
  url: string | undefined;
  provider: OfferedProvider;
  server: ModelServer;
  key: string | undefined;
};

const TRIAL_MS = 60_000;

/** Other requests are read while the model is asked. */
export async function setModel(home: Home, route: EgressRoutes['models'], intake: ModelIntake): Promise<LateAnswer> {
  const about = { request: intake.request ?? null, model: intake.model ?? null };
  const work = carryOut(home, route, intake)
    .catch((error: unknown): Ended => {
      if (!(error instanceof OkaError)) throw error;
      return { outcome: 'refused', message: error.message, fix: error.fix ?? null, text: null };
    })
    .then((ended): ModelSetup => ({ ...about, at: new Date().toISOString(), ...ended }));
  return { answer: work.then((setup) => noteSetup(home, setup) as Json) };
}

type Ended = Pick<ModelSetup, 'outcome' | 'message' | 'fix' | 'text'>;

async function carryOut(home: Home, route: EgressRoutes['models'], intake: ModelIntake): Promise<Ended> {
  if (intake.act === 'later') {
    putOffSetup(home);
    return { outcome: 'later', message: 'oka does not offer it any more.', fix: null, text: null };
  }
  const choice = await readChoice(home, intake);
  const trial = intake.act === 'keep' ? null : await askModel(home, route, choice);
  if (trial?.answered === false) return { outcome: 'no-answer', message: trial.problem, fix: trial.fix, text: null };
  await storeKey(home, choice);
  return storeChoice(home, choice, trial);
}

async function readChoice(home: Home, { model, url, sealed_key: sealed }: ModelIntake): Promise<Choice> {
  const name = model ?? '';
  const providers = await offeredProviders();
  const provider = providers.find((each) => name.startsWith(`${each.name}:`));
  if (provider === undefined || name === `${provider.name}:` || /\s/.test(name))
    throw new OkaError('usage', `"${name}" does not name a provider and a model`, {
      fix: `Write it such as ${providers.map((each) => `${each.name}:${each.setup.example}`).join(' or ')}.`,
    });
  const address = url === undefined || url.trim() === '' ? undefined : url.trim();
  const server = await describeServer(home, provider, address);
  const key = sealed === undefined ? undefined : await openKey(home, sealed);
  if (key !== undefined && provider.keyName === null)
    throw new OkaError('usage', `${provider.setup.label} takes no key`);
  return { name, url: address, provider, server, key };
}

async function openKey(home: Home, sealed: string): Promise<string> {
  const bytes = await (await vaultOf(home)).unseal(Buffer.from(sealed, 'base64'));
  const key = Buffer.from(bytes).toString('utf8').trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new OkaError('usage', 'a key has no spaces and no special characters', { fix: 'Paste it once more.' });
}

async function askModel(home: Home, route: EgressRoutes['models'], choice: Choice): Promise<ModelTrial> {
  const { name, url, key, provider } = choice;
  const trial = await tryModel(home, { name, url, key, route, signal: AbortSignal.timeout(TRIAL_MS) });
  if (trial.answered || key === undefined) return trial;
  const redact = redactorFor(() => [{ name: provider.keyName ?? 'key', value: key }]);
  return { ...trial, problem: redact(trial.problem), fix: trial.fix === null ? null : redact(trial.fix) };
}

async function storeKey(home: Home, { provider: { keyName }, server, key }: Choice): Promise<void> {
  if (key === undefined || keyName === null) return;
  const rules = { tools: ['model.complete'], hosts: [server.host], commands: [] };
  const now = new Date().toISOString();
  await (await vaultOf(home)).change((contents) => withValue(contents, keyName, key, now, rules));
}

async function storeChoice(home: Home, { name, url }: Choice, trial: ModelTrial | null): Promise<Ended> {
  const answered = trial === null ? '' : ` It answered after ${(trial.ms / 1000).toFixed(1)} s.`;
  if (writeProblem(home.config) === null && writeProblem(join(home.config, '..')) === null) {
    await useModel(home, name, url);
    return { outcome: 'set', message: `${name} is set.${answered}`, fix: null, text: null };
  }
  const settings = url === undefined ? {} : { settings: { [name]: { base_url: url } } };
  return {
    outcome: 'read-only',
    message: `The rules cannot be written from here.${answered}`,
    fix: 'Put this into .oka/rules/config.json; the worker uses it as soon as it has nothing to do.',
    text: JSON.stringify({ models: { use: name, ...settings } }, null, 2),
  };
}

const setupFile = ({ oka }: Home): string => join(oka, 'state', 'model-setup.json');

/** The requester may have stopped waiting for a reply: models take their time. */
function noteSetup(home: Home, setup: ModelSetup): ModelSetup {
  try {
    makeFolder(join(home.oka, 'state'), 0o700);
    replaceFile(setupFile(home), `${JSON.stringify(setup)}\n`, { mode: 0o600 });
    return setup;
  } catch (error) {
    return { ...setup, message: `${setup.message} (${messageOf(error)})` };
  }
}

/** Null when there was none, or it cannot be read. */
export function readModelSetup(home: Home): ModelSetup | null {
  try {
    return existsSync(setupFile(home)) ? (JSON.parse(readFileSync(setupFile(home), 'utf8')) as ModelSetup) : null;
  } catch {
    return null;
  }
}
