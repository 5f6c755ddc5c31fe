import type { FastifyPluginAsync, RouteOptions } from 'fastify';
import { expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import { openTestApp } from './open-test-app.ts';

const PARTS = ['params', 'querystring', 'headers', 'body'] as const;

test('the schema of every route compiles, as it does when the gate gets the first request for it', async () => {
  const routes: RouteOptions[] = [];
  const compiled = new Set<string>();
  const compileWhenAsked: FastifyPluginAsync = async (app) => {
    app.addHook('onRoute', (route) => void routes.push(route));
    app.addHook('onRequest', async (request, reply) => {
      const { method, url = '' } = request.routeOptions;
      for (const part of PARTS) {
        const validate = request.getValidationFunction(part);
        validate?.({});
        if (validate) compiled.add(`${method} ${url} ${part}`);
      }
      return reply.code(204).send();
    });
  };
  const { parts } = await openTestApp();
  const onAllRoutes = Object.assign(compileWhenAsked, { [Symbol.for('skip-override')]: true });
  const app = await buildApp({ ...parts, extensions: [onAllRoutes] });

  const wanted = new Set<string>();
  for (const { method, url, schema } of routes) {
    for (const part of PARTS) if (schema?.[part]) wanted.add(`${method} ${url} ${part}`);
    const path = url.replaceAll(/:\w+|\*/g, 'x');
    await app.inject({ method: [method].flat()[0] as 'GET', url: path });
  }
  await app.close();

  expect(compiled).toEqual(wanted);
  expect(wanted.size).toBeGreaterThan(200);
});
