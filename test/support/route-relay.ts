/** What stands between the servers of a cluster, so that a test can cut one of them off from the others. */
import { createServer, connect, type Server, type Socket } from 'node:net';

export type RouteRelays = {
  /** Where one server reaches the other. */
  portOf(from: number, to: number): number;
  /** Nothing passes between this server and the others any more; their connections stay open, as in a broken network. */
  cut(index: number): void;
  mend(index: number): void;
  close(): void;
};

type Relay = { from: number; to: number; server: Server; port: number; sockets: Set<Socket>; isCut: boolean };

/** One relay for each server and each of its routes; `ports` are those on which the servers wait for routes. */
export async function startRelays(ports: readonly number[]): Promise<RouteRelays> {
  const relays = await Promise.all(
    ports.flatMap((_, from) => ports.flatMap((port, to) => (from === to ? [] : [startRelay(from, to, port)]))),
  );
  const at = (index: number): Relay[] => relays.filter(({ from, to }) => from === index || to === index);
  return {
    portOf: (from, to) => relays.find((each) => each.from === from && each.to === to)?.port ?? 0,
    cut: (index) => {
      for (const relay of at(index)) {
        relay.isCut = true;
        for (const socket of relay.sockets) socket.unpipe().pause();
      }
    },
    mend: (index) => {
      for (const relay of at(index)) {
        relay.isCut = false;
        for (const socket of relay.sockets) socket.destroy();
      }
    },
    close: () => {
      for (const { server, sockets } of relays) {
        server.close();
        for (const socket of sockets) socket.destroy();
      }
    },
  };
}

async function startRelay(from: number, to: number, target: number): Promise<Relay> {
  const server = createServer((near) => {
    const add = (socket: Socket, other: Socket): void => {
      relay.sockets.add(socket);
      socket.once('close', () => {
        relay.sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', () => undefined); // it closes, too
    };
    const far = connect(target, '127.0.0.1');
    add(near, far);
    add(far, near);
    if (relay.isCut) return;
    near.pipe(far);
    far.pipe(near);
  });
  const relay: Relay = { from, to, server, port: 0, sockets: new Set(), isCut: false };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  relay.port = address !== null && typeof address === 'object' ? address.port : 0;
  return relay;
}
