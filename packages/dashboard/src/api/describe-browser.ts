import * as words from './describe-browser.words.ts';

const SYSTEMS: readonly [string, RegExp][] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['macOS', /Mac OS X/],
  ['Windows', /Windows/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];
// The order matters: each browser also claims to be all those after it.
const BROWSERS: readonly [string, RegExp][] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
];

/** Guesses e.g. `Chrome on macOS` from the user agent, so that people recognise their own devices. */
export function describeBrowser(userAgent: string): string {
  const first = (known: readonly [string, RegExp][]) =>
    known.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = first(BROWSERS) ?? words.unknownBrowser;
  const system = first(SYSTEMS);
  return system ? words.browserOn(browser, system) : browser;
}
