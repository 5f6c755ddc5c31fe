const SYSTEMS: readonly [string, RegExp][] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['macOS', /Mac OS X/],
  ['Windows', /Windows/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];
// Each says it is all that come after it, too.
const BROWSERS: readonly [string, RegExp][] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
];

/** `Chrome on macOS`, from what a browser says of itself; a guess, for people to recognise their own devices. */
export function describeBrowser(userAgent: string): string {
  const first = (known: readonly [string, RegExp][]) =>
    known.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = first(BROWSERS) ?? 'Unknown browser';
  const system = first(SYSTEMS);
  return system ? `${browser} on ${system}` : browser;
}
