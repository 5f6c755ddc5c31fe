import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { hungUpSignal } from '../../src/http/answers/hung-up.ts';

test('the hung-up signal also reports a client that left before it was first read', async () => {
  const app = Fastify();
  const looked = Promise.withResolvers<boolean>();
  const came = Promise.withResolvers<void>();
  app.get('/', async (_request, reply) => {
    came.resolve();
    await once(reply.raw, 'close');
    looked.resolve(hungUpSignal(reply).aborted);
    return '';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  try {
    const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nhost: gate\r\n\r\n');
    await came.promise;
    client.destroy();
    expect(await looked.promise).toBe(true);
  } finally {
    await app.close();
  }
});
