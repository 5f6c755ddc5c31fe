/** The path to sign-in that returns to `from` afterwards. */
export function signInPath(from: string): string {
  const isPlain = from === '/' || from === '/inbox' || from.startsWith('/sign-in');
  return isPlain ? '/sign-in' : `/sign-in?return_to=${encodeURIComponent(from)}`;
}

/**
 * The gate's own URL that leads to an identity provider and back. It leaves out the fragment: an invitation's token is
 * there, and no server or log may see it.
 *
 * @param target As `returnPath` gave it.
 */
export function providerPath(id: string, target: string): string {
  const [path = ''] = target.split('#', 1);
  return `/console/oidc/${encodeURIComponent(id)}/start?return_to=${encodeURIComponent(path)}`;
}
