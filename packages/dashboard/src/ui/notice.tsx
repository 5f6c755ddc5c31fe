import { type ReactNode, useEffect, useRef } from 'react';
import { ApiError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import * as words from './ui.words.ts';

const ICONS: Readonly<Record<string, IconName>> = {
  good: 'check',
  warn: 'alert',
  bad: 'alert',
  info: 'info',
};

export function Notice({
  tone = 'info',
  title,
  children,
}: {
  tone?: 'good' | 'warn' | 'bad' | 'info';
  title?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="notice" data-tone={tone}>
      <Icon name={ICONS[tone] ?? 'info'} />
      <div>
        {title && <strong>{title}</strong>}
        {/* One inline flow: text, names and times in it stay on one line. */}
        {children && <div className="notice-text">{children}</div>}
      </div>
    </div>
  );
}

/** Statuses of refusals that the reader can fix alone. For these, the notice shows no request ID. */
const OF_THE_READER: ReadonlySet<number> = new Set([400, 401, 429]);

/**
 * Any thrown error, with the request ID for the operator. Renders nothing without an error. `focus` moves the focus
 * here, for use at the top of a form.
 */
export function ErrorPanel({
  error,
  title,
  onRetry,
  focus = false,
}: {
  error: unknown;
  title?: string;
  onRetry?: (() => void) | undefined;
  focus?: boolean;
}) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error && focus) panel.current?.focus();
  }, [error, focus]);
  if (!error) return null;
  const requestId = error instanceof ApiError && !OF_THE_READER.has(error.status) ? error.requestId : null;
  return (
    <div className="notice" data-tone="bad" role="alert" tabIndex={-1} ref={panel}>
      <Icon name="alert" />
      <div>
        {title && <strong>{title}</strong>}
        <div>{messageOf(error)}</div>
        {requestId && (
          <div className="request-id">
            {words.failedCall} <code>{requestId}</code>
          </div>
        )}
        {onRetry && (
          <div>
            <Button size="s" icon="refresh" onClick={onRetry}>
              {words.tryAgain}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** The message for a person, for any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : words.pageFailed;
}
