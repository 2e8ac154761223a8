import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { isThorough } from '../support/thorough.ts';

const TOP = join(import.meta.dirname, '../..');

/** The room as somebody would write it; the requests and events that it names are rows of the recipes. */
const ROOM = `
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

export const station = defineRoom({
  name: 'rooms/station',
  events: ['weather.observed'],
  needs: { ledger: ports.ledger },
  open: ({ ledger }) => ({
    intakes: {
      observe: async ({ city }) => {
        await ledger.append({ type: 'weather.observed', data: { city } });
        return null;
      },
    },
  }),
});
`;

const SUBMIT_AND_WAIT = `
import { setTimeout as sleep } from 'node:timers/promises';
import { rooms } from './src/app/rooms.ts';
import { withHost } from './src/kit/house/host.ts';
import { setUp } from './src/kit/home/set-up.ts';
import { homeAt } from './src/kit/settings.ts';
import { submit } from './src/kit/requests/submit-request.ts';
import { readEvents } from './src/core/ledger/read-events.ts';

const home = homeAt(process.argv[2]);
setUp(home);
submit(home.oka + '/intake', { kind: 'observe', city: 'Graz' }, 'one');
const seen = async (type) => {
  for await (const { data } of readEvents(home.ledgers.run, { type })) return data;
};
await withHost(home, new AbortController().signal, async () => {
  while ((await seen('weather.observed')) === undefined && (await seen('intake.rejected')) === undefined) await sleep(20);
}, { rooms });
console.log(JSON.stringify({ observed: await seen('weather.observed'), rejected: await seen('intake.rejected') }));
`;

it.runIf(isThorough)(
  'the recipes for an intake and an event type: a row each, one room, and the types still match',
  () => {
    using folder = temporaryFolder();
    const copy = join(folder.dir, 'copy');
    cpSync(join(TOP, 'src'), join(copy, 'src'), { recursive: true });
    cpSync(join(TOP, 'package.json'), join(copy, 'package.json'));
    cpSync(join(TOP, 'share'), join(copy, 'share'), { recursive: true });
    symlinkSync(join(TOP, 'node_modules'), join(copy, 'node_modules'));
    const insertBefore = (file: string, place: string, text: string): void => {
      const before = readFileSync(join(copy, 'src', file), 'utf8');
      expect(before.split(place)).toHaveLength(2);
      writeFileSync(join(copy, 'src', file), before.replace(place, `${text}\n${place}`));
    };
    const city = "city: z.string().max(100).describe('Where.')";
    insertBefore(
      'core/schema/intake.ts',
      "  ])\n  .describe('A request",
      `z.strictObject({ kind: z.literal('observe'), ${city} }),`,
    );
    insertBefore(
      'core/schema/event.ts',
      '} as const satisfies Record<string, z.ZodType>;',
      `'weather.observed': z.strictObject({ ${city} }),`,
    );
    mkdirSync(join(copy, 'src/rooms/station'));
    writeFileSync(join(copy, 'src/rooms/station/room.ts'), ROOM);
    insertBefore('app/rooms.ts', 'import type { HouseRoom }', "import { station } from '../rooms/station/room.ts';");
    insertBefore('app/rooms.ts', '];', 'station,');

    const config = JSON.parse(readFileSync(join(TOP, 'tsconfig.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...config, include: ['src'] }));
    execFileSync(join(TOP, 'node_modules/.bin/tsc'), ['--noEmit'], { cwd: copy, stdio: 'pipe' });

    writeFileSync(join(copy, 'try.ts'), SUBMIT_AND_WAIT);
    const out = execFileSync(process.execPath, ['try.ts', join(folder.dir, 'home')], { cwd: copy, encoding: 'utf8' });
    expect(JSON.parse(out)).toEqual({ observed: { city: 'Graz' } });
  },
);
