import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import type { Io } from '../../../src/kit/cli/io.ts';
import { openPrinter } from '../../../src/kit/cli/printer.ts';

it('a notice appears above the footer, which is drawn on stderr and erased at the end', () => {
  vi.useFakeTimers();
  const written: string[] = [];
  const io: Io = {
    out: (text) => void written.push(`out ${text}`),
    err: (text) => void written.push(`err ${text}`),
    stdin: Readable.from([]),
    signal: new AbortController().signal,
    isTerminal: true,
    isErrTerminal: true,
    hasColours: false,
    width: 80,
    underSupervisor: (signal, work) => work(signal),
    openDialog: null,
    openTerminal: null,
  };
  const command = { render: String, footer: () => () => ['footer'] };
  const printer = openPrinter(command, io, { json: false, home: homeAt('/nowhere') });
  vi.advanceTimersByTime(600);
  printer.notice('notice\n');
  printer.data('data\n');
  printer.close();
  vi.useRealTimers();
  const erase = 'err \u001B[1A\u001B[J';
  expect(written).toEqual([
    'err footer\n',
    erase,
    'err notice\n',
    'err footer\n',
    erase,
    'out data\n',
    'err footer\n',
    erase,
  ]);
});
