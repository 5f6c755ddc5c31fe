/**
 * Stands between the pages and the gate in a browser: it shows push messages, and the frame of the pages while there is
 * no network. It never keeps an answer of the API, and it decides nothing: a message has no button but the one to look.
 */

import { readPush } from './push-message.ts';
import { answerFromShell, isKept, keepShell, removeOldShells } from './shell-cache.ts';

const worker = self as unknown as ServiceWorkerGlobalScope;

worker.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(removeOldShells().then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  // What is not of the frame goes its own way: this worker does not even see the answer.
  if (isKept(event.request)) event.respondWith(answerFromShell(event.request));
});

worker.addEventListener('push', (event) => {
  const { title, body, path, tag, lasting } = readPush(event.data?.text());
  event.waitUntil(
    worker.registration.showNotification(title, {
      body,
      tag,
      icon: '/icon-192.png',
      badge: '/badge-96.png',
      requireInteraction: lasting,
      data: { path },
    }),
  );
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data?.path ?? '/inbox'));
});

/** The page as it is where it is open already, a new one where not: nothing that somebody writes is navigated away. */
async function openPage(path: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find(({ url }) => new URL(url).pathname === path);
  await (open ? open.focus() : worker.clients.openWindow(path));
}
