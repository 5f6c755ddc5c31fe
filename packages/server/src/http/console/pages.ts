/**
 * Serves the dashboard: one document for every page, and the files it loads. Opening a page decides nothing and reveals
 * nothing. The page requests its data itself, with the session of the person who opened it.
 */
import { isId } from '@permitry/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';
import { accepts } from '../answers/accepts.ts';
import { NO_SUCH_PATH } from '../errors/framework-errors.ts';
import { type BuiltFile, type BuiltPages, readBuiltPages } from './built-pages.ts';
import { hardenPages } from './page-headers.ts';
import { FOR_STRAY_BROWSERS, tellStrayBrowsers } from './stray-browsers.ts';

/** Addresses that people see. packages/dashboard/src/routes.tsx defines the pages. Any other path is a 404. */
const PAGES = [
  '/inbox',
  '/history',
  '/approve/:intent_id',
  '/sign-in',
  '/set-up',
  '/invitation',
  '/reset-password',
  '/connect',
  '/account',
  '/account/:section',
  '/projects',
  '/projects/:id',
  '/projects/:id/:page',
  '/projects/:id/:page/:item',
];

/** Files that have their own address besides `/assets/`. */
const ROOT_FILES = [
  'icon.svg',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
  'apple-touch-icon.png',
  'badge-96.png',
  'manifest.webmanifest',
  // A service worker controls only pages below its own path.
  'sw.js',
];

const hide = true;

export async function addPages(
  app: FastifyInstance,
  { baseUrl, folder }: { baseUrl: string; folder?: string },
): Promise<void> {
  let kept: BuiltPages | undefined;
  // Read on the first request for a page. If the dashboard is built only later, the next request finds it.
  const built = () => (kept ??= readBuiltPages(folder));
  tellStrayBrowsers(app);
  await app.register(async (scope) => {
    await hardenPages(scope, baseUrl);
    scope.get('/', { schema: { hide } }, (_request, reply) => reply.redirect('/inbox', 302));
    for (const path of PAGES) {
      scope.get(path, { schema: { hide } }, (request, reply) => sendPage(built(), request, reply));
    }
    scope.get('/*', { schema: { hide }, constraints: FOR_STRAY_BROWSERS }, (request, reply) =>
      sendPage(built(), request, reply.code(404)),
    );
    scope.get<{ Params: { file: string } }>('/assets/:file', { schema: { hide } }, (request, reply) => {
      // Their names change with their content.
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      return sendFile(built()?.files.get(`assets/${request.params.file}`), request, reply);
    });
    for (const name of ROOT_FILES) {
      scope.get(`/${name}`, { schema: { hide } }, (request, reply) => {
        reply.header('cache-control', 'no-cache');
        return sendFile(built()?.files.get(name), request, reply);
      });
    }
  });
}

function sendPage(built: BuiltPages | undefined, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('cache-control', 'no-cache');
  if (!built) return sendNotBuilt(reply);
  const { intent_id: intentId } = request.params as { intent_id?: string };
  // The page says that there is no such request. The status says the same to programs that follow a mistyped link.
  if (intentId !== undefined && !isId('int', intentId)) reply.code(404);
  return sendFile(built.index, request, reply);
}

function sendFile(
  file: BuiltFile | undefined,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (!file) {
    reply.removeHeader('cache-control');
    throw new GateError('not_found', NO_SUCH_PATH, {});
  }
  reply.type(file.type).header('etag', file.etag).header('vary', 'accept-encoding');
  if (headers['if-none-match'] === file.etag && reply.statusCode === 200) return reply.code(304).send();
  const codings = headers['accept-encoding'];
  if (file.br && takes(codings, 'br')) return reply.header('content-encoding', 'br').send(file.br);
  if (file.gzip && takes(codings, 'gzip')) return reply.header('content-encoding', 'gzip').send(file.gzip);
  return reply.send(file.plain);
}

/** Without the header, only the uncompressed form is acceptable. Without `Accept`, every media type would be. */
function takes(codings: string | string[] | undefined, coding: string): boolean {
  const header = String(codings ?? '');
  return header !== '' && accepts(header, coding);
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Permitry</title></head>
<body>
<h1>The pages are not built yet</h1>
<p>The gate runs, and its API answers. Its pages are built by <code>npm ci</code>, or by themselves:</p>
<pre>npm run build -w @permitry/dashboard</pre>
<p>Then load this page again. <a href="/docs">Reference of all operations</a></p>
</body>
</html>
`;

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT);
}
