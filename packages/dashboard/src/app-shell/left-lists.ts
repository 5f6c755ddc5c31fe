/**
 * Where somebody was in a list of requests when they opened one of them: the way back leads to the same filters, the
 * same rows and the same place. Kept in memory only, because rows hold parameters.
 */
import { useLayoutEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';

const LISTS = { '/inbox': 'Inbox', '/history': 'History' } as const;
type ListPath = keyof typeof LISTS;

const APPROVE = '/approve/';

/** The first row in view, and how far from the top of the window it was. */
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

/** Said by a link that leads back: the page is shown as it was left, not from its top. */
const BACK = { isWayBack: true };

export function isWayBack(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'isWayBack' in state;
}

/** The list somebody came from, as it was; `fallback` for those who came by a link. For `Link`. */
export function wayBack(fallback: ListPath): { to: string; state: typeof BACK; label: string } {
  const path = last ?? fallback;
  return { to: `${path}${left.get(path)?.search ?? ''}`, state: BACK, label: LISTS[path] };
}

/** What the page kept when it was left and the row to scroll to, where somebody has come back to it. */
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
 * Keeps the place when the list is left, and scrolls to it when somebody comes back.
 *
 * @param scroller What scrolls; null: the page. Undefined while it is not known.
 * @param kept What the page wants back, as it is at that moment.
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

  // Before the browser draws: the rows must not be seen elsewhere first.
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
