import { ApiError } from '../../../api/api-error.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import type { IconName } from '../../../ui/icon.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import * as words from './project-frame.words.ts';

/** Replaces the page of one item while it loads, when it cannot be read, and when it does not exist. */
export function ItemState({
  query: { error, isLoading, refetch },
  what,
  icon,
  back,
}: {
  query: { error: unknown; isLoading: boolean; refetch: () => unknown };
  /** The kind of item, e.g. `agent`. */
  what: string;
  icon: IconName;
  /** The list of all such items. */
  back: { to: string; label: string };
}) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Card>
        <EmptyState
          icon={icon}
          {...words.noItem(what)}
          actions={
            <LinkButton tone="primary" to={back.to}>
              {back.label}
            </LinkButton>
          }
        />
      </Card>
    );
  }
  return (
    <>
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {isLoading && <Waiting />}
    </>
  );
}
