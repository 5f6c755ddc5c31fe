import { box } from '../printing/box.ts';

/** The link of the first sign-in, for a terminal with this many columns. */
export function setUpBox(url: string, columns: number): string {
  return box(
    ['Open this link in a browser to set up the first account:', '', url, '', 'It works once, for 24 hours.'],
    columns,
  );
}
