/**
 * Owns: asking a program which version it is. It is run in the jail with the rights of a read, without the network.
 *
 * What a file answered holds as long as the file is the same.
 */
import { realpathSync } from 'node:fs';
import { stampOf } from '../../ledger/disk.ts';
import { failureIn, outputText } from '../../tools/deps/installer.ts';
import { findVersion } from '../../tools/deps/versions.ts';
import { launch } from '../../tools/launch.ts';
import { commandEnvironment } from '../settings.ts';
import type { Home } from '../../schema/home.ts';
import type { DepsPorts } from './deps-ports.ts';

/** Null when it does not say. */
export type VersionOf = (program: string) => Promise<string | null>;

/** In this order: what most programs know, then what Java, Go and others do. */
const QUESTIONS = ['--version', '-version', 'version', '-V'];
const PATIENCE_MS = 5000;
const MOST_SAID = 65_536;

export function versionOfWith({ home, sandbox }: Pick<DepsPorts, 'home' | 'sandbox'>): VersionOf {
  const answered = new Map<string, Promise<string | null>>();
  return (program) => {
    const key = `${program} ${identityOf(program)}`;
    const answer = answered.get(key) ?? asked(program, home, sandbox);
    answered.set(key, answer);
    return answer;
  };
}

async function asked(program: string, home: Home, sandbox: DepsPorts['sandbox']): Promise<string | null> {
  const provided = await sandbox.forVersionCheck();
  if (provided.kind === 'refused') return null;
  await using _ = provided;
  for (const question of QUESTIONS) {
    const ran = await launch(
      { argv: [program, question] },
      {
        cwd: `${home.workspace}/desk`,
        env: { ...commandEnvironment(home), ...provided.env },
        signal: AbortSignal.timeout(PATIENCE_MS * 2),
        timeoutMs: PATIENCE_MS,
        outputLimitBytes: MOST_SAID,
        ...(provided.launch === undefined ? {} : { sandbox: provided.launch }),
      },
    );
    const version = failureIn(ran) === null ? findVersion(outputText(ran)) : null;
    if (version !== null) return version;
  }
  return null;
}

function identityOf(program: string): string {
  try {
    return stampOf(realpathSync(program));
  } catch {
    return 'gone';
  }
}
