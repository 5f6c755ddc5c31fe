/**
 * Distinguishes browsers from programs when an address does not exist. Browsers get a page that says so. Programs, and
 * all requests to API paths, get the 404 as JSON, before anything is read or looked up.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { accepts } from '../answers/accepts.ts';

/** These paths never lead to pages, whatever the client's `Accept` header says. */
const NO_PAGES = /^\/(?:v1|api|console|mcp|assets|\.well-known)(?:[/?]|$)/;

/** The constraint of a route that serves only browsers at addresses that do not exist. */
export const FOR_STRAY_BROWSERS = { stray: 'browser' };

/** Call this before the first route with that constraint. */
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

/** A browser names the type `text/html`. Programs send a wildcard, which accepts everything. */
function isBrowser({ url = '', headers: { accept } }: IncomingMessage): boolean {
  return accept?.includes('text/html') === true && accepts(accept, 'text/html') && !NO_PAGES.test(url);
}
