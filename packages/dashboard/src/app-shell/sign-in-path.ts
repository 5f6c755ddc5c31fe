/** The way to sign-in and back to where one was. */
export function signInPath(from: string): string {
  const isPlain = from === '/' || from === '/inbox' || from.startsWith('/sign-in');
  return isPlain ? '/sign-in' : `/sign-in?return_to=${encodeURIComponent(from)}`;
}

/**
 * The gate's own address that leads to a provider and back. Without the fragment: the token of an invitation stands
 * there, which no server and no log is to see.
 *
 * @param target As `returnPath` gave it.
 */
export function providerPath(id: string, target: string): string {
  const [path = ''] = target.split('#', 1);
  return `/console/oidc/${encodeURIComponent(id)}/start?return_to=${encodeURIComponent(path)}`;
}
