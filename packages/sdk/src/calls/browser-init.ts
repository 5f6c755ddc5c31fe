/**
 * Only browsers have cookies, which would be another credential with other rights, and a cache of their own. Some edge
 * runtimes refuse these options altogether.
 */
const isBrowser = (globalThis as { location?: unknown }).location !== undefined;

export const WITHOUT_COOKIES: RequestInit = isBrowser ? { credentials: 'omit' } : {};
export const UNCACHED: RequestInit = isBrowser ? { cache: 'no-store' } : {};
