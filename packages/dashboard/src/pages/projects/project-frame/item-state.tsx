import { ApiError } from '../../../api/api-error.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import type { IconName } from '../../../ui/icon.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Waiting } from '../../../ui/waiting.tsx';

/** What stands on the page of one thing while it is on its way, when it could not be read, and where there is none. */
export function ItemState({
  query: { error, isLoading, refetch },
  what,
  icon,
  back,
}: {
  query: { error: unknown; isLoading: boolean; refetch: () => unknown };
  /** As in "There is no such agent". */
  what: string;
  icon: IconName;
  /** Where all of them are. */
  back: { to: string; label: string };
}) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Card>
        <EmptyState
          icon={icon}
          title={`There is no such ${what}`}
          lead="It may have been removed, or the address is cut off or mistyped."
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
