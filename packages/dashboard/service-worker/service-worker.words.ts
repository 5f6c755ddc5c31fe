/** Texts of the service worker: a push message that it cannot read, and the page that it shows offline when nothing is cached. */

export const unreadable = {
  title: 'New Permitry notification',
  body: 'Open the inbox to see what is new.',
} as const;

export const offline = {
  documentTitle: 'Offline · Permitry',
  title: 'You are offline',
  lead: 'You can’t decide requests until you are back online.',
} as const;
