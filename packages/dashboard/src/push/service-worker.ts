/** The service worker of these pages: shows push messages, and their frame while there is no network. */

interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

const ADDRESS = '/sw.js';
/** By then the page shows what it has to show. */
const AFTER_LOAD_MS = 1500;

/** False in old browsers, in private windows of some, and where a gate is reached without TLS. */
export function hasServiceWorkers(): boolean {
  return 'serviceWorker' in navigator;
}

let registered: Promise<ServiceWorkerRegistration> | undefined;

/** Registers it once; a newer one takes over by itself. */
export function registerServiceWorker(): Promise<ServiceWorkerRegistration> {
  registered ??= navigator.serviceWorker.register(trusted(ADDRESS), { updateViaCache: 'none' });
  return registered;
}

/** The one policy that the page's rules let there be turns this one address into code, and no other. */
function trusted(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return address;
  const policy = trustedTypes.createPolicy('permitry', {
    createScriptURL(url) {
      if (url !== ADDRESS) throw new Error('This is no script of ours.');
      return url;
    },
  });
  return policy.createScriptURL(address);
}

/** Once the page has shown itself: nobody waits for it. */
export function registerServiceWorkerLater(): void {
  if (!hasServiceWorkers()) return;
  // Without it the pages work as before.
  window.addEventListener('load', () =>
    setTimeout(() => registerServiceWorker().catch(() => undefined), AFTER_LOAD_MS),
  );
}
