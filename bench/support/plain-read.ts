/** The floor of verifying: streams the file in argv, parses each line, hashes the whole. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { report } from './child.ts';

await report(async () => {
  const hash = createHash('sha256');
  let rest = '';
  let events = 0;
  for await (const chunk of createReadStream(process.argv[2] ?? '', { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer);
    const lines = (rest + (chunk as Buffer).toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) events += (JSON.parse(line) as { seq: number }).seq > 0 ? 1 : 0;
  }
  if (hash.digest('hex').length !== 64 || events === 0) throw new Error('nothing was read');
});
