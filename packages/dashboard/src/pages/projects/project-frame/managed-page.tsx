import { type ReactNode, useState } from 'react';
import { useRole } from '../../../api/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ProjectPage } from './project-page.tsx';
import { useProjectId } from './queries.ts';

/** A page of things that admins and owners alone see and make: their list, and a button that makes another. */
export function ManagedPage({
  title,
  lead,
  makeLabel,
  hidden,
  list,
  maker,
  children,
}: {
  title: string;
  lead: string;
  makeLabel: string;
  /** What others are told instead of the list. */
  hidden: string;
  list: (projectId: string) => ReactNode;
  /** The dialog in which one is made. */
  maker: (projectId: string, onClose: () => void) => ReactNode;
  /** For everybody, below. */
  children?: ReactNode;
}) {
  const projectId = useProjectId();
  const { isAtLeast } = useRole(projectId);
  const [isMaking, setMaking] = useState(false);
  const mayManage = isAtLeast('admin');
  return (
    <ProjectPage
      title={title}
      lead={lead}
      actions={
        mayManage && (
          <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
            {makeLabel}
          </Button>
        )
      }
    >
      {mayManage ? list(projectId) : <Notice>{hidden}</Notice>}
      {children}
      {isMaking && maker(projectId, () => setMaking(false))}
    </ProjectPage>
  );
}

/** What stands where a list is on its way, could not be read, or has nothing in it. */
export function ListState({
  query: { error, isPending, refetch },
  isEmpty,
  empty,
}: {
  query: { error: unknown; isPending: boolean; refetch: () => unknown };
  isEmpty: boolean;
  empty: ReactNode;
}) {
  return (
    <>
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {isPending && <Waiting />}
      {!isPending && !error && isEmpty && <Card>{empty}</Card>}
    </>
  );
}
