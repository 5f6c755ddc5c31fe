/**
 * Runs between the pages and the gate in a browser. It shows push messages, and the frame of the pages while there is
 * no network. It never stores an API answer and never decides anything: a message has only a button to open it.
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
  // Requests outside the frame bypass this worker, so it never sees their answers.
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

/** Shows the tab that already has the page, or opens a new one. It never navigates a tab, so no typed text is lost. */
async function openPage(path: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find(({ url }) => new URL(url).pathname === path);
  await (open ? open.focus() : worker.clients.openWindow(path));
}
