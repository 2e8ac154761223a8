/** Ports for servers that are programs of their own. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether something on this machine takes connections at a port. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  const isOpen = await Promise.race([once(socket, 'connect'), once(socket, 'error').then(() => null)]).catch(
    () => null,
  );
  socket.destroy();
  return isOpen !== null;
}
