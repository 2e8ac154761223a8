/** Owns: where things are and how they are set. The only reader of the environment. */
import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explained } from '../ledger/disk.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Config } from '../schema/config.ts';
import type { Policy } from '../schema/policy.ts';

/** The folder that holds .oka, workspace and INSTALL_REQUIREMENTS.md, and the paths in it that are a contract. */
export type Home = {
  dir: string;
  oka: string;
  workspace: string;
  ledgers: { run: string; maintenance: string };
  config: string;
  policy: string;
};

/** Where this program itself lives. */
export const programFolder = fileURLToPath(new URL('../..', import.meta.url));

export function homeAt(dirOption: string | undefined): Home {
  const dir = resolve(dirOption ?? process.env['OKA_DIR'] ?? '.');
  const oka = join(dir, '.oka');
  return {
    dir,
    oka,
    workspace: join(dir, 'workspace'),
    ledgers: { run: join(oka, 'run_ledger.jsonl'), maintenance: join(oka, 'maintenance_ledger.jsonl') },
    config: join(oka, 'rules', 'config.json'),
    policy: join(oka, 'rules', 'POLICY.md'),
  };
}

/** What commands see of the environment: enough to find programs, nothing that could be a secret. */
export function commandEnvironment(home: Home): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8', TZ } = process.env;
  return { PATH, LANG, HOME: join(home.workspace, 'desk'), ...(TZ === undefined ? {} : { TZ }) };
}

export function programVersion(): string {
  const manifest = JSON.parse(readFileSync(join(programFolder, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

/** Settings of a home; defaults for whatever it does not say. */
export async function loadConfig(home: Home): Promise<Config> {
  const { Config } = await import('../schema/config.ts');
  const text = textOf(home.config) ?? '{}';
  return checked(home.config, () => Config.safeParse(JSON.parse(text)));
}

export async function loadPolicy(home: Home): Promise<Policy> {
  const { Policy } = await import('../schema/policy.ts');
  const { readFrontMatter } = await import('../schema/front-matter.ts');
  const text = textOf(home.policy);
  if (text === null) throw new OkaError('not-set-up', `${home.policy} is not there`, { fix: 'Run: oka init' });
  return checked(home.policy, () => Policy.safeParse(readFrontMatter(text, home.policy).data));
}

type Parsed<T> =
  | { success: true; data: T }
  | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };

function checked<T>(file: string, parse: () => Parsed<T>): T {
  const result = parsedOrRefused(file, parse);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  ${issue.path.join('.') || '(top)'}: ${issue.message}`);
  throw new OkaError('invalid-file', `${file} is not valid:\n${problems.join('\n')}`, {
    fix: 'Mend these fields; `oka schema` shows what is possible.',
  });
}

function parsedOrRefused<T>(file: string, parse: () => Parsed<T>): Parsed<T> {
  try {
    return parse();
  } catch (error) {
    if (error instanceof OkaError) throw error;
    throw new OkaError('invalid-file', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

function textOf(file: string): string | null {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (!found.isFile()) throw new OkaError('unsafe-file', `${file} is not a regular file`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw explained(error, file);
  }
}
