/** The same executor in each framework: one guarded route that counts its runs. */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { promisify } from 'node:util';
import { serve as serveHono } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { permitGuard as expressGuard, permitOf } from '../../src/guards/express.ts';
import { permitGuard as fastifyGuard } from '../../src/guards/fastify.ts';
import type { AdmittedPermit, GuardOptions } from '../../src/guards/guard.ts';
import { permitGuard as honoGuard } from '../../src/guards/hono.ts';

export interface Executor {
  url: string;
  /** Number of open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** The options that do not depend on the framework's request. */
export type SharedOptions = Omit<GuardOptions<object>, 'params' | 'permit'>;

/** Returns the status of the route, or waits until the test releases it. */
export type Handle = (permit: AdmittedPermit) => number | Promise<number>;

export const FRAMEWORKS = { express: serveExpress, fastify: serveFastify, hono: serveHonoExecutor };

async function serveExpress(options: SharedOptions, handle: Handle): Promise<Executor> {
  const app = express();
  app.post(
    '/refunds',
    express.json(),
    expressGuard({ ...options, params: (req) => req.body }),
    async (req, res) => {
      res.status(await handle(permitOf(req))).json({ done: true });
    },
  );
  app.post('/bare', (req, res) => {
    res.json(permitOf(req));
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => countConnections(server),
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function serveFastify(options: SharedOptions, handle: Handle): Promise<Executor> {
  const app = fastify({ forceCloseConnections: true });
  app.post('/refunds', {
    preHandler: fastifyGuard({ ...options, params: (request) => request.body }),
    handler: async (request, reply) => reply.code(await handle(permitOf(request))).send({ done: true }),
  });
  app.post('/bare', async (request) => permitOf(request));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, connections: () => countConnections(app.server), close: () => app.close() };
}

async function serveHonoExecutor(options: SharedOptions, handle: Handle): Promise<Executor> {
  const app = new Hono();
  app.post('/refunds', honoGuard({ ...options, params: (c) => c.req.json() }), async (c) => {
    c.status((await handle(permitOf(c))) as 200);
    return c.json({ done: true });
  });
  app.post('/bare', (c) => c.json({ ...permitOf(c) }));
  return new Promise((resolve) => {
    const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        connections: () => countConnections(server),
        close: async () => {
          server.close();
        },
      }),
    );
  });
}

function countConnections(server: Pick<Server, 'getConnections'>): Promise<number> {
  return promisify((told: (error: Error | null, count: number) => void) => server.getConnections(told))();
}
