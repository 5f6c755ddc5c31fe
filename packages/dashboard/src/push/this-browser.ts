/** Push messages to this browser. */
import { hasServiceWorkers, registerServiceWorker } from './service-worker.ts';

/**
 * `install`: an iPhone or iPad allows push messages only for apps on its home screen. `blocked`: the person refused,
 * and only the browser's settings can undo that.
 */
export type PushState = 'unsupported' | 'install' | 'blocked' | 'off' | 'on';

export interface BrowserSubscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

export async function findPushState(): Promise<{ state: PushState; endpointHash: string | null }> {
  const without = (state: PushState) => ({ state, endpointHash: null });
  if (!canPush()) return without(isAppleMobile() && !isInstalled() ? 'install' : 'unsupported');
  if (Notification.permission === 'denied') return without('blocked');
  const subscription = await findSubscription();
  if (!subscription) return without('off');
  return { state: 'on', endpointHash: await sha256(subscription.endpoint) };
}

/** Asks for permission, so call it only after a button press. Null: the person refused. */
export async function subscribe(pushKey: string): Promise<BrowserSubscription | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  const { pushManager } = await readyRegistration();
  const known = await pushManager.getSubscription();
  // A subscription for another key, e.g. that of an earlier gate, does not accept our messages.
  if (known && !isBoundTo(known, pushKey)) await known.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint ?? '', keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } };
}

/**
 * Ends the subscription of this browser. After that, the push service refuses messages for it, and the gate deletes the
 * device.
 */
export async function unsubscribe(): Promise<void> {
  if (canPush()) await (await findSubscription())?.unsubscribe();
}

function canPush(): boolean {
  return hasServiceWorkers() && 'PushManager' in window && 'Notification' in window;
}

function isAppleMobile(): boolean {
  // An iPad claims to be a Mac, but has a multi-touch screen.
  return (
    /iPhone|iPad/.test(navigator.userAgent) ||
    (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
  );
}

function isInstalled(): boolean {
  return window.matchMedia('(display-mode: standalone)').matches;
}

async function readyRegistration(): Promise<ServiceWorkerRegistration> {
  await registerServiceWorker();
  return navigator.serviceWorker.ready;
}

async function findSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

function isBoundTo({ options }: PushSubscription, pushKey: string): boolean {
  const key = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  const text = btoa(String.fromCharCode(...key))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
  return text === pushKey;
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
