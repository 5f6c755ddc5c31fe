import type { ReactNode } from 'react';

/** A panel with an optional heading. */
export function Card({
  title,
  lead,
  actions,
  tone,
  flush = false,
  level = 2,
  children,
}: {
  title?: ReactNode;
  /** A sentence under the heading. */
  lead?: ReactNode;
  /** Buttons next to the heading. */
  actions?: ReactNode;
  tone?: 'good' | 'warn' | 'bad' | undefined;
  /** No padding: for a table or a list that reaches the edges. */
  flush?: boolean;
  level?: 2 | 3;
  children: ReactNode;
}) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section className={flush ? 'card flush' : 'card'} data-tone={tone}>
      {(title || actions) && (
        <div className="card-head">
          {title && <Heading>{title}</Heading>}
          {actions && <div className="button-row">{actions}</div>}
          {lead && <p className="lead">{lead}</p>}
        </div>
      )}
      <div className="card-body">{children}</div>
    </section>
  );
}
