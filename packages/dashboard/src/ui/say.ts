import { createElement, Fragment, type ReactNode } from 'react';

/**
 * A sentence with elements in it, for the words modules.
 *
 * @example const since = (date: ReactNode) => say`Everything else uses the latest 1,000, since ${date}.`
 */
export function say(texts: TemplateStringsArray, ...elements: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...texts.flatMap((text, at) => [text, elements[at]]));
}
