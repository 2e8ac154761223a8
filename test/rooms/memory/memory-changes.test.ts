import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

describe('oka memory changes and undo', () => {
  it('lists what was learned by number, and asks for one of them to be undone', async () => {
    using home = temporaryFolder();
    const { dir } = home;
    await oka('init', '--dir', dir);
    expect((await oka('memory', 'changes', '--dir', dir)).out).toContain('learned nothing yet');
    const ledger = await openLedger(join(dir, '.oka', 'maintenance', 'maintenance_ledger.jsonl'), 'maintenance', {
      redact: (text) => text,
    });
    const fact = { namespace: 'standing', source: 'task' as const, evidence: [{ run: 'a', seq: 1 }] };
    await ledger.append([
      { type: 'slot.came', data: { job: 'learn', slot: '2026-01-01T00:00:00Z', how: 'ran', reason: 'it was due' } },
      { type: 'fact.kept', data: { ...fact, id: 'standing-1', text: 'Always use metric units.' } },
      { type: 'fact.kept', data: { ...fact, id: 'standing-2', text: 'Never use feet.' } },
      { type: 'change.undone', data: { change: 3, reason: 'a person took it back' } },
    ]);
    await ledger.close();

    const { changes } = JSON.parse((await oka('memory', 'changes', '--json', '--dir', dir)).out) as {
      changes: { change: number; undone: boolean; undoable: boolean }[];
    };
    expect(changes.map(({ change, undone, undoable }) => [change, undone, undoable])).toEqual([
      [2, false, true],
      [3, true, true],
      [4, false, false],
    ]);
    const listed = (await oka('memory', 'changes', '--limit', '2', '--dir', dir)).out;
    expect(listed).toMatch(/3 .*\(undone\)/);
    expect(listed).not.toContain('metric');

    for (const [given, said] of [
      ['9', 'there is no change "9"'],
      ['x', 'there is no change "x"'],
      ['1', 'there is no change "1"'],
      ['4', 'cannot be undone'],
    ] as const) {
      const refused = await oka('memory', 'undo', given, '--dir', dir);
      expect(refused.code).toBe(2);
      expect(refused.err).toContain(said);
    }
    expect((await oka('memory', 'undo', '3', '--dir', dir)).out).toContain('already');

    const asked = await oka('memory', 'undo', '2', '--reason', 'one report only', '--dir', dir);
    expect(asked.out).toContain('Always use metric units.');
    const recorded: object[] = [];
    for await (const { type, data } of readEvents(homeAt(dir).ledgers.run))
      if (type === 'intake.received') recorded.push(data.intake);
    expect(recorded).toEqual([{ kind: 'take_back', change: 2, reason: 'one report only' }]);
  });
});
