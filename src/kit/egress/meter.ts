import { Transform } from 'node:stream';

/** Passes bytes on up to a limit, and fails beyond it. */
export function meter(limit: number): Transform {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed > limit) done(new Error(`more than ${limit} bytes`));
      else done(null, chunk);
    },
  });
}
