import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** The router's key for the first location of a visit. */
const FIRST = 'default';

/** A whole page. Sets the document's title, and focuses the heading when the person arrives by a link. */
export function Page({
  title,
  documentTitle,
  lead,
  above,
  actions,
  width = 'wide',
  hideTitle = false,
  children,
}: {
  title: string;
  /** For the browser tab, instead of `title`, e.g. with a count. */
  documentTitle?: string;
  lead?: ReactNode;
  /** A line above the title: the location, or a link back. */
  above?: ReactNode;
  /** Buttons next to the title. */
  actions?: ReactNode;
  width?: 'wide' | 'narrow';
  /** Only screen readers see the heading. */
  hideTitle?: boolean;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();

  useEffect(() => {
    document.title = `${documentTitle ?? title} · Permitry`;
  }, [documentTitle, title]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the path tells one page from the next
  useEffect(() => {
    // On the first page of a visit, the focus stays where the browser puts it.
    if (key !== FIRST) heading.current?.focus({ preventScroll: true });
  }, [pathname]);

  return (
    <div className="page" data-width={width}>
      <div className={hideTitle && !actions && !lead && !above ? 'page-head unseen' : 'page-head'}>
        <div>
          {above && <div className="above">{above}</div>}
          <h1 ref={heading} tabIndex={-1} className={hideTitle ? 'unseen' : undefined}>
            {title}
          </h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="button-row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
