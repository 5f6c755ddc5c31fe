/**
 * Caches the frame of the pages for use without a network: one document and its files. They are the same for everybody
 * and contain no personal data. All other requests are left alone.
 */

import { offline } from './service-worker.words.ts';

const SHELL = 'permitry-shell-1';
const DOCUMENT = '/inbox';

/** Paths that the one document serves, as in `src/routes.tsx`. */
const PAGES =
  /^\/(?:inbox|history|sign-in|set-up|invitation|reset-password|approve\/[^/]+|account(?:\/[^/]+)?|projects(?:\/[^/]+){0,3})$/;

export function isKept({ method, url, mode }: Request): boolean {
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== self.location.origin) return false;
  return pathname.startsWith('/assets/') || (mode === 'navigate' && PAGES.test(pathname));
}

export async function answerFromShell(request: Request): Promise<Response> {
  return request.mode === 'navigate' ? answerPage(request) : answerFile(request);
}

/** Stores the document and the files that it names. Files that a page loads later are stored at that time. */
export async function keepShell(): Promise<void> {
  const document = await fetch(DOCUMENT, { cache: 'no-cache' });
  if (document.ok) await keepDocument(document);
}

export async function removeOldShells(): Promise<void> {
  for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
}

async function keepDocument(document: Response): Promise<void> {
  const html = await document.clone().text();
  const shell = await caches.open(SHELL);
  const known = await shell.match(DOCUMENT);
  if (known?.headers.get('etag') === document.headers.get('etag')) return;
  // Files of another build have other names, so nothing uses the old ones.
  for (const kept of await shell.keys()) await shell.delete(kept);
  await shell.put(DOCUMENT, document);
  // The document names its styles twice, and `addAll` rejects duplicates.
  await shell.addAll([...new Set(html.match(/\/assets\/[A-Za-z0-9._-]+/g))]);
}

/** Network first, so that a page is never older than its gate. */
async function answerPage(request: Request): Promise<Response> {
  try {
    const fresh = await fetch(request);
    if (fresh.ok && !fresh.redirected) await keepDocument(fresh.clone()).catch(() => {});
    return fresh;
  } catch {
    return (await caches.match(DOCUMENT)) ?? nothingKept();
  }
}

/** A file's name changes with its content, so a stored file is always current. */
async function answerFile(request: Request): Promise<Response> {
  const shell = await caches.open(SHELL);
  const kept = await shell.match(request);
  if (kept) return kept;
  const fresh = await fetch(request);
  if (fresh.ok) await shell.put(request, fresh.clone());
  return fresh;
}

function nothingKept(): Response {
  return new Response(
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
      `<title>${offline.documentTitle}</title><h1>${offline.title}</h1><p>${offline.lead}</p></html>`,
    {
      status: 503,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'",
      },
    },
  );
}
