import Fastify from 'fastify';
import Type from 'typebox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerWithStatus } from '../../src/http/answers/answer-with-status.ts';
import { NoContent } from '../../src/http/routes/route-schemas.ts';

function openApp() {
  const app = Fastify();
  onTestFinished(() => app.close());
  app.addHook('onRoute', answerWithStatus);
  app.post('/made', { schema: { response: { 201: Type.Object({}) } } }, async () => ({}));
  app.delete('/gone', { schema: { response: { 204: NoContent } } }, async () => {});
  app.post('/either', { schema: { response: { 200: {}, 202: {} } } }, async (_request, reply) => {
    reply.code(202);
    return {};
  });
  app.get('/moved', { schema: { response: { 200: {} } } }, async (_request, reply) =>
    reply.redirect('/made'),
  );
  app.post('/refused', { schema: { response: { 201: {} } } }, async () => {
    throw Object.assign(new Error('no'), { statusCode: 409 });
  });
  return app;
}

describe('a route answers with the status of its schema', () => {
  it.each([
    ['POST', '/made', 201],
    ['DELETE', '/gone', 204],
    ['POST', '/either', 202],
    ['GET', '/moved', 302],
    ['POST', '/refused', 409],
  ] as const)('%s %s answers with %i', async (method, url, status) => {
    const answer = await openApp().inject({ method, url });
    expect(answer.statusCode).toBe(status);
    if (status === 204) expect(answer.body).toBe('');
  });
});
