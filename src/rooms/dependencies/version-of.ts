/**
 * Owns: asking a program for its version. It runs in the sandbox with the rights of a read, without the network.
 * The answer is cached until the program's file changes.
 */
import { realpathSync } from 'node:fs';
import { stampOf } from '../../core/ledger/disk.ts';
import { failureIn, outputText } from './install/installer.ts';
import { findVersion } from './install/versions.ts';
import { launch } from '../../kit/sandbox/launch.ts';
import { commandEnvironment } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import type { DepsPorts } from './deps-ports.ts';

/** Null when the program does not report one. */
export type VersionOf = (program: string) => Promise<string | null>;

/** Most programs know the first; the others are for Java, Go and the rest. */
const QUESTIONS = ['--version', '-version', 'version', '-V'];
const TIMEOUT_MS = 5000;
const MOST_OUTPUT_BYTES = 65_536;

export function versionOfWith({ home, sandbox }: Pick<DepsPorts, 'home' | 'sandbox'>): VersionOf {
  const answers = new Map<string, Promise<string | null>>();
  return (program) => {
    const key = `${program} ${identityOf(program)}`;
    const answer = answers.get(key) ?? askVersion(program, home, sandbox);
    answers.set(key, answer);
    return answer;
  };
}

async function askVersion(program: string, home: Home, sandbox: DepsPorts['sandbox']): Promise<string | null> {
  const provided = await sandbox.forVersionCheck();
  if (provided.kind === 'refused') return null;
  await using _ = provided;
  for (const question of QUESTIONS) {
    const ran = await launch(
      { argv: [program, question] },
      {
        cwd: `${home.workspace}/desk`,
        env: { ...commandEnvironment(home), ...provided.env },
        signal: AbortSignal.timeout(TIMEOUT_MS * 2),
        timeoutMs: TIMEOUT_MS,
        outputLimitBytes: MOST_OUTPUT_BYTES,
        ...(provided.launch === undefined ? {} : { sandbox: provided.launch }),
      },
    );
    const version = failureIn(ran) === null ? findVersion(outputText(ran)) : null;
    if (version !== null) return version;
  }
  return null;
}

/** Changes when the program does. */
function identityOf(program: string): string {
  try {
    return stampOf(realpathSync(program));
  } catch {
    return 'gone';
  }
}
