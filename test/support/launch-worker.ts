/** A worker that starts one command in the sandbox and waits for it: `launch-worker.ts LAUNCHER FOLDER CALL TIMEOUT LINE`. */
import { launch } from '../../src/kit/sandbox/launch.ts';

const [launcher = '', folder = '', call = '', timeout = '', line = ''] = process.argv.slice(2);
process.stdout.write('starting\n');
await launch(
  { line },
  {
    cwd: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    signal: new AbortController().signal,
    timeoutMs: Number(timeout),
    outputLimitBytes: 10_000,
    sandbox: { launcher, rights: null, state: { folder, call } },
  },
);
process.stdout.write('done\n');
