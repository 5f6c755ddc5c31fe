import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** What the router calls the place where a visit begins. */
const FIRST = 'default';

/** A whole page: names the document, and takes the focus to its heading when one comes here by a link. */
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
  /** In the browser's tab instead of `title`, e.g. with a count. */
  documentTitle?: string;
  lead?: ReactNode;
  /** A line above the title: where one is, a link back. */
  above?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  width?: 'wide' | 'narrow';
  /** The heading is there for screen readers only. */
  hideTitle?: boolean;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();

  useEffect(() => {
    document.title = `${documentTitle ?? title} · Permitry`;
  }, [documentTitle, title]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what tells one page from the next
  useEffect(() => {
    // The first page of a visit leaves the focus where the browser puts it.
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
