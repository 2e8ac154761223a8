/** Takes the place of a server of models: plans one file, writes it, and finds it good. Run in a container. */
import { acting, goal, inParts, partOf, plan, verdict } from '../../support/story-model.ts';
import { call } from '../../support/wire-server-reply.ts';
import { openWireServer } from '../../support/wire-server.ts';

const script = inParts({
  planner: () => plan([goal('write', 'Write it', ['files.write', 'files.read'])], ['p.txt says what patience is.']),
  executor: acting(
    call('files_write', { path: 'p.txt', content: 'waiting without complaint\n' }),
    call('files_read', { path: 'p.txt' }),
  ),
  critic: ({ text }) => {
    const piece = [...text.matchAll(/\b(E\d+) files\.read/g)].at(-1)?.[1] ?? '';
    return verdict('done', [{ criterion: 'c1', holds: true, evidence: piece, quote: 'waiting without complaint' }]);
  },
});

await openWireServer(
  (request) => {
    process.stdout.write(`${partOf(request)} asked ${request.headers.host} for ${request.model}\n`);
    return script(request);
  },
  11_434,
  '0.0.0.0',
);
