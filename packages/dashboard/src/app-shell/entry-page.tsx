import { type ReactNode, useEffect, useRef } from 'react';
import { Brand } from './brand.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { ThemeChoice } from './theme-choice.tsx';
import './entry-page.css';
import * as words from './app-shell.words.ts';

/** A page for people who are not signed in: one task, centred. */
export function EntryPage({
  title,
  lead,
  children,
  below,
}: {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  /** Small print under the panel. */
  below?: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(title);

  useEffect(() => {
    document.title = `${title} · Permitry`;
    // At the next step of the same page, screen readers hear the new title, unless a field already has the focus.
    const isNextStep = before.current !== title;
    if (isNextStep && !document.activeElement?.closest('.entry-page-panel')) heading.current?.focus();
    before.current = title;
  }, [title]);

  return (
    <div className="entry-page">
      <main className="entry-page-main">
        <div className="entry-page-brand">
          <Brand size={32} />
          <span>{words.product}</span>
        </div>
        <OfflineBanner />
        <div className="entry-page-panel">
          <div className="stack tight">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {lead && <p className="soft">{lead}</p>}
          </div>
          {children}
        </div>
        {below && <div className="entry-page-below">{below}</div>}
      </main>
      <footer className="entry-page-foot">
        <ThemeChoice />
      </footer>
    </div>
  );
}
