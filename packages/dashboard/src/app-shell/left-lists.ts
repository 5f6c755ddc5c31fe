/**
 * Remembers a list's filters, rows and scroll position when a person opens a request from it, and restores them on the
 * way back. Kept in memory only, because rows hold parameters.
 */
import { useLayoutEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import * as words from './app-shell.words.ts';

const LISTS = { '/inbox': words.inbox, '/history': words.history } as const;
type ListPath = keyof typeof LISTS;

const APPROVE = '/approve/';

/** The first visible row, and its distance from the top of the window. */
interface Anchor {
  href: string;
  top: number;
}

interface LeftList {
  search: string;
  anchor: Anchor | null;
  kept: unknown;
}

const left = new Map<ListPath, LeftList>();
let last: ListPath | undefined;

/** State of a link that leads back: the list is restored as it was left instead of starting at its top. */
const BACK = { isWayBack: true };

export function isWayBack(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'isWayBack' in state;
}

/**
 * Props for a `Link` to the list that the person came from, as they left it. `fallback` is for people who followed a
 * link.
 */
export function wayBack(fallback: ListPath): { to: string; state: typeof BACK; label: string } {
  const path = last ?? fallback;
  return { to: `${path}${left.get(path)?.search ?? ''}`, state: BACK, label: LISTS[path] };
}

/** On the way back: the values that the page kept, and the row to scroll to. */
export function useKept<T>(path: ListPath): { kept: T | undefined; anchorId: string | undefined } {
  const found = useLeft(path);
  return { kept: found?.kept as T | undefined, anchorId: found?.anchor?.href.slice(APPROVE.length) };
}

function useLeft(path: ListPath): LeftList | undefined {
  const { search, state } = useLocation();
  const type = useNavigationType();
  const [found] = useState(() => {
    const one = type === 'POP' || isWayBack(state) ? left.get(path) : undefined;
    return one?.search === search ? one : undefined;
  });
  return found;
}

/**
 * Keeps the scroll position when the person leaves the list, and restores it when they return.
 *
 * @param scroller The scrolling element; null means the page. Undefined while it is not known.
 * @param kept The values to keep for the page, taken at that moment.
 */
export function useKeepsScrollPosition(
  path: ListPath,
  scroller: HTMLElement | null | undefined,
  kept: unknown,
): void {
  const { search } = useLocation();
  const found = useLeft(path);
  const current = useRef<Omit<LeftList, 'anchor'>>({ search, kept });
  current.current = { search, kept };
  const isBack = useRef(false);

  // Before the browser paints, so that the rows never appear in the wrong place.
  useLayoutEffect(() => {
    if (isBack.current || !found || scroller === undefined) return;
    isBack.current = true;
    const { anchor } = found;
    const link = anchor && linksIn(scroller).find((one) => one.getAttribute('href') === anchor.href);
    if (link) (scroller ?? window).scrollBy({ top: link.getBoundingClientRect().top - anchor.top });
  });

  useLayoutEffect(() => {
    last = path;
    return () => {
      left.set(path, { ...current.current, anchor: findAnchor(scroller ?? null) });
    };
  }, [path, scroller]);
}

function linksIn(scroller: HTMLElement | null): HTMLAnchorElement[] {
  return [...(scroller ?? document).querySelectorAll<HTMLAnchorElement>(`main a[href^="${APPROVE}"]`)];
}

function findAnchor(scroller: HTMLElement | null): Anchor | null {
  const edge = scroller?.getBoundingClientRect().top ?? 0;
  for (const link of linksIn(scroller)) {
    const { top, height } = link.getBoundingClientRect();
    const href = link.getAttribute('href');
    if (height > 0 && top >= edge && href !== null) return { href, top };
  }
  return null;
}
