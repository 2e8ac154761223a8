/** A server that counts how often it was called with each key, which is its path. */
import { createServer } from 'node:http';

export type Counter = { url: string; counts: Map<string, number>; [Symbol.asyncDispose]: () => Promise<void> };

export async function startCounter(): Promise<Counter> {
  const counts = new Map<string, number>();
  const server = createServer(({ url = '' }, answer) => {
    const key = url.slice(1);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    answer.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
