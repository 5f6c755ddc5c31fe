import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sendTogether } from './send-together.ts';

/** The order of events while these paths are requested in one packet over one connection, and the answers. */
async function askAtOnce(...paths: string[]): Promise<{ done: string[]; answers: string[] }> {
  const done: string[] = [];
  const app = Fastify();
  onTestFinished(() => app.close());
  sendTogether(app, { error: vi.fn() });
  app.addHook('onSend', async (request) => {
    done.push(`send ${request.url}`);
  });
  app.get('/now/:n', async (request) => {
    done.push(`handle ${request.url}`);
    return request.url;
  });
  app.get('/later/:n', async (request) => {
    await nextTurn();
    await nextTurn();
    done.push(`handle ${request.url}`);
    return request.url;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');

  const socket = connect(address.port, '127.0.0.1');
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
  const bodies = () => received.match(/^\/(?:now|later)\/\d/gm) ?? [];
  await expect.poll(() => bodies().length).toBe(paths.length);
  socket.destroy();
  return { done, answers: [...bodies()] };
}

test('answers that are ready in the same turn are sent after the last request of that turn', async () => {
  const { done, answers } = await askAtOnce('/now/1', '/now/2', '/now/3');
  expect(done).toEqual([
    'handle /now/1',
    'handle /now/2',
    'handle /now/3',
    'send /now/1',
    'send /now/2',
    'send /now/3',
  ]);
  expect(answers).toEqual(['/now/1', '/now/2', '/now/3']);
});

test('an answer that took longer is sent at once, and all arrive in the order of the requests', async () => {
  const { done, answers } = await askAtOnce('/later/1', '/now/2', '/later/3');
  expect(done.slice(0, 2)).toEqual(['handle /now/2', 'send /now/2']);
  expect(done.indexOf('send /later/1')).toBe(done.indexOf('handle /later/1') + 1);
  expect(answers).toEqual(['/later/1', '/now/2', '/later/3']);
});

test('an answer that cannot be sent ends its own connection and delays none of the others', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const error = vi.fn();
  sendTogether(app, { error });
  app.get('/bad', async (_request, reply) => reply.header('x-odd', 'a\nb').send('bad'));
  app.get('/good', async () => 'good');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const asked = ['/good', '/bad', '/good'].map(async (path) => (await fetch(url + path)).text());
  const answers = await Promise.allSettled(asked);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(error).toHaveBeenCalledTimes(1);
});
