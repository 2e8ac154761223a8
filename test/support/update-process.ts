/** One update, in a process that a test kills: node update-process.ts <package> <tarball> <home> */
import { findRelease } from '../../src/app/update/find-release.ts';
import { updateProgram } from '../../src/app/update/update-program.ts';
import { homeAt } from '../../src/kit/settings.ts';

const [base = '', tarball = '', dir = ''] = process.argv.slice(2);
const { signal } = new AbortController();
await updateProgram(base, await findRelease(tarball, signal), { home: homeAt(dir), signal, onStep: () => undefined });
