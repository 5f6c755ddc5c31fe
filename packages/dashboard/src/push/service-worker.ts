/** Registers the dashboard's service worker, which shows push messages, and the frame while there is no network. */

interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

const ADDRESS = '/sw.js';
/** After this time, the page has drawn its content. */
const AFTER_LOAD_MS = 1500;

/** False in old browsers, in some private windows, and when the gate is reached without TLS. */
export function hasServiceWorkers(): boolean {
  return 'serviceWorker' in navigator;
}

let registered: Promise<ServiceWorkerRegistration> | undefined;

/** Registers the service worker once. A newer one takes over automatically. */
export function registerServiceWorker(): Promise<ServiceWorkerRegistration> {
  registered ??= navigator.serviceWorker.register(trusted(ADDRESS), { updateViaCache: 'none' });
  return registered;
}

/** The page's content security policy allows this one Trusted Types policy. It accepts only this script URL. */
function trusted(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return address;
  const policy = trustedTypes.createPolicy('permitry', {
    createScriptURL(url) {
      if (url !== ADDRESS) throw new Error('Not the service worker');
      return url;
    },
  });
  return policy.createScriptURL(address);
}

/** Registers it after the page has loaded, because nothing depends on it. */
export function registerServiceWorkerLater(): void {
  if (!hasServiceWorkers()) return;
  // Without it, the pages still work.
  window.addEventListener('load', () =>
    setTimeout(() => registerServiceWorker().catch(() => undefined), AFTER_LOAD_MS),
  );
}
