import { Transform } from 'node:stream';
import type { Gate } from './claim-gate.ts';

/**
 * Passes bytes on up to a limit, and fails beyond it. With a gate, nothing goes on before it is open, and the end of what
 * is sent does not either: a request without a body goes out with it.
 */
export function meter(limit: number, gate?: Gate): Transform {
  let passed = 0;
  const through = (pass: (problem?: Error) => void): void => {
    if (gate === undefined || gate.isOpen()) return pass();
    gate.open().then((problem) => pass(problem === null ? undefined : new Error(problem)), pass);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed > limit) done(new Error(`more than ${limit} bytes`));
      else through((problem) => (problem === undefined ? done(null, chunk) : done(problem)));
    },
    flush: (done) => through(done),
  });
}
