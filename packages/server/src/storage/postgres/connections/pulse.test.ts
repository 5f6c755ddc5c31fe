import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { isThere } from './pulse.ts';

const servers: Server[] = [];
const taken: Socket[] = [];

afterEach(() => {
  for (const socket of taken.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

test('a process that was suspended does not count that time as the server’s silence', async () => {
  const address = await open((answer) => answer('S'));
  const found = isThere(address, 200);
  standStill(500);
  expect(await found).toBe(true);
});

test('a local problem does not count against the server', async () => {
  expect(await isThere('postgres://somebody@localhost/permitry?sslrootcert=/none.pem', 5000)).toBe(true);
});

test('an address that stays silent or refuses connections has no server', async () => {
  const silent = await open(() => {});
  expect(await isThere(silent, 200)).toBe(false);
  expect(await isThere('postgres://somebody@127.0.0.1:1/permitry', 5000)).toBe(false);
});

async function open(onGreeting: (answer: (text: string) => void) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    taken.push(socket);
    socket.on('data', () => onGreeting((text) => socket.write(text)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `postgres://somebody@127.0.0.1:${address.port}/permitry`;
}

function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
