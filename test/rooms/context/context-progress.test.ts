import { expect, it, vi } from 'vitest';
import { withContextProgress } from '../../../src/rooms/context/request-context.ts';
import { openTreeHome } from '../../support/tree-home.ts';

it('frames are counted while another part of the program, or another process, makes them', async () => {
  await using at = await openTreeHome();
  at.write({ 'a.txt': 'a', 'b.txt': 'b' });
  await at.scan();
  const reach = vi.fn<(done: number) => void>();
  const end = vi.fn<() => void>();
  const call = { home: at.home, signal: new AbortController().signal, progress: () => ({ reach, end }) };
  const made = await withContextProgress(call, async () => {
    const frames = [await at.put('a.txt', 'one'), await at.put('b.txt', 'two')];
    await vi.waitFor(() => expect(reach).toHaveBeenLastCalledWith(2), { timeout: 60_000 });
    expect(end).not.toHaveBeenCalled();
    return frames;
  });
  expect(made).toHaveLength(2);
  expect(end).toHaveBeenCalledOnce();
});
