/**
 * Tells browsers that follow an address nobody has from programs that do. People get a page that says so; programs, and
 * whatever is asked of an API, the 404 in JSON, before anything is read or looked up.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { accepts } from '../answers/accepts.ts';

/** Below these nobody looks for a page, whatever their client says it would take. */
const NO_PAGES = /^\/(?:v1|api|console|mcp|assets|\.well-known)(?:[/?]|$)/;

/** The constraint of a route that is for such browsers alone. */
export const FOR_STRAY_BROWSERS = { stray: 'browser' };

/** Before the first route with that constraint. */
export function tellStrayBrowsers(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: 'stray',
    storage() {
      const handlers = new Map<unknown, never>();
      return {
        get: (value) => handlers.get(value) ?? null,
        set: (value, handler) => handlers.set(value, handler as never),
      };
    },
    deriveConstraint: (request) => (isBrowser(request) ? 'browser' : undefined),
    validate: () => undefined,
  });
}

/** It names the type: everything (`*`) is what programs take. */
function isBrowser({ url = '', headers: { accept } }: IncomingMessage): boolean {
  return accept?.includes('text/html') === true && accepts(accept, 'text/html') && !NO_PAGES.test(url);
}
