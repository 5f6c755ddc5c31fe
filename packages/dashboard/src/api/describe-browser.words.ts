/** Names of browsers and devices. */

export const unknownBrowser = 'Unknown browser';
export const browserOn = (browser: string, system: string) => `${browser} on ${system}`;
