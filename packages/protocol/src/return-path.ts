const HOME = '/inbox';

/**
 * Where a `return_to` leads: to a path of this gate, otherwise to the inbox. Anything that a browser could take for
 * another host (`//host`, `/\host`, a scheme, control characters) leads to the inbox. So does the sign-in page, which
 * would be a loop.
 *
 * @param wanted As received; null when there was none.
 * @param origin Origin of the gate, e.g. `https://gate.example`.
 * @example returnPath('/history?q=a', origin) // '/history?q=a'
 * @example returnPath('//evil.example', origin) // '/inbox'
 */
export function returnPath(wanted: string | null, origin: string): string {
  if (wanted === null || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(wanted)) return HOME;
  const target = URL.canParse(wanted, origin) ? new URL(wanted, origin) : null;
  if (target?.origin !== origin || target.pathname.startsWith('//')) return HOME;
  return /^\/sign-in(?:\/|$)/.test(target.pathname) ? HOME : target.pathname + target.search + target.hash;
}
