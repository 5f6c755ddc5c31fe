const HOME = '/inbox';

/**
 * Where a `return_to` leads: a path of this gate, else the inbox. Anything that a browser could take for another host
 * (`//host`, `/\host`, a scheme, control characters) leads to the inbox, and so does sign-in, which would lead in circles.
 *
 * @param wanted As it was asked for; null where nothing was.
 * @param origin Of the gate, e.g. `https://gate.example`.
 * @example returnPath('/history?q=a', origin) // '/history?q=a'
 * @example returnPath('//evil.example', origin) // '/inbox'
 */
export function returnPath(wanted: string | null, origin: string): string {
  if (wanted === null || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(wanted)) return HOME;
  const target = URL.canParse(wanted, origin) ? new URL(wanted, origin) : null;
  if (target?.origin !== origin || target.pathname.startsWith('//')) return HOME;
  return /^\/sign-in(?:\/|$)/.test(target.pathname) ? HOME : target.pathname + target.search + target.hash;
}
